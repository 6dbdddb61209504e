-- Files of a workspace. The bytes lie outside the database, once for each content (workspace, sha256); rows that have
-- the same sha256 share them.

create table media (
  workspace_id uuid not null,
  id uuid not null,
  state text not null check (state in ('pending', 'ready', 'failed')),
  mime_type text,
  -- What stands before the slash of mime_type.
  mime_family text,
  -- Bytes.
  size integer,
  sha256 bytea,
  file_name text,
  -- Where it is fetched from, sealed, for an address may hold a token; null once that is over.
  source_sealed text,
  -- Why it failed; of one that is pending, why the last try did.
  error_code text,
  error_detail text,
  metadata jsonb not null default '{}',
  -- Public id of the key or person.
  created_by text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (workspace_id, id),
  constraint media_ready check (
    state <> 'ready' or (mime_type is not null and size is not null and sha256 is not null)
  )
);
create index media_sha256 on media (workspace_id, sha256) where sha256 is not null;
create index media_type on media (workspace_id, mime_type, id);
create index media_family on media (workspace_id, mime_family, id);
