-- Indexes that are built while the server runs (src/platform/db/index-builds.ts). A migration declares one by inserting a row.
create table index_builds (
  name text primary key check (name ~ '^[a-z][a-z0-9_]{0,50}$'),
  table_name text not null,
  definition text not null,
  attempts integer not null default 0,
  last_attempt_at timestamptz,
  last_error text,
  next_attempt_at timestamptz not null default now(),
  built_at timestamptz
);
comment on table index_builds is 'Indexes that are built in the background after a migration declared them.';
comment on column index_builds.definition is 'What follows `CREATE INDEX … ON <table>`, such as `(workspace_id, id) WHERE pinned`.';
comment on column index_builds.attempts is 'Attempts to build the index.';
comment on column index_builds.last_error is 'Why the last attempt failed; null if it didn''t.';
comment on column index_builds.built_at is 'When the index was built; null until then.';
