-- Outbox rows that the log can't take (an id used twice, say): set aside, so that one of them never holds up the
-- others. A row comes back by being inserted into the outbox again.
create table outbox_rejected (
  n bigint primary key,
  bucket smallint not null,
  workspace_id uuid not null,
  event_id uuid not null,
  type text not null,
  resource_id text,
  data jsonb not null,
  truncated boolean not null,
  created_at timestamptz not null,
  error text not null,
  rejected_at timestamptz not null default now()
);

-- What happened to one object. Costs about a tenth of the sequencer's speed.
create index events_resource on events (workspace_id, resource_id, sequence);
