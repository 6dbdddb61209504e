-- Content from channels that no driver could read, as it was received, so that a later version can read it.
create table unprocessed_updates (
  workspace_id uuid not null,
  instance_id uuid not null,
  id uuid not null,
  reason text not null,
  -- What the channel calls this kind of content, if it says so.
  type text,
  -- JSON as text: jsonb refuses NUL characters, and nothing is queried in it. Cut if `size` is more than what is stored.
  raw text not null,
  -- In bytes, before it was cut.
  size integer not null,
  -- Whether `raw` is a signal of the driver that could not be stored, rather than content that the driver could not read.
  is_signal boolean not null default false,
  -- Of the complete content: the same content is stored once.
  fingerprint bytea not null,
  -- Since when it waits in `ingress_parts` to be read again.
  replay_requested_at timestamptz,
  created_at timestamptz not null,
  primary key (workspace_id, id),
  unique (workspace_id, instance_id, fingerprint)
);
create index unprocessed_updates_instance on unprocessed_updates (workspace_id, instance_id, id);
create index unprocessed_updates_created on unprocessed_updates (created_at);

-- How many of them each instance had too many of, or for too long.
create table unprocessed_update_counts (
  workspace_id uuid not null,
  instance_id uuid not null,
  deleted bigint not null,
  primary key (workspace_id, instance_id)
);

-- The unprocessed update that is read again by this part, and whether it is a signal.
alter table ingress_parts add column replay_of uuid, add column is_signal boolean not null default false;
