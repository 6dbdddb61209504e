-- Channels over HTTP APIs: requests that they send to `POST /channels/{token}`, message templates, reply windows.

-- The token stands in the public URL. It is no secret: requests are authenticated by the channel's signature.
create table channel_tokens (
  token text primary key,
  workspace_id uuid not null,
  instance_id uuid not null,
  -- Under which name requests refer to this account, where a channel calls one URL for several accounts.
  account_key text
);
create index channel_tokens_instance on channel_tokens (workspace_id, instance_id);
create index channel_tokens_account on channel_tokens (workspace_id, account_key) where account_key is not null;

alter table instances add column ingress_token text;

-- Entries of requests that were answered and are not applied yet, in order of `n`. They are deleted once their signals
-- are stored.
create table ingress_parts (
  workspace_id uuid not null,
  instance_id uuid not null,
  n bigint generated always as identity,
  part_id text not null,
  -- JSON as text: jsonb refuses NUL characters, and nothing is queried in it.
  body text not null,
  attempts integer not null default 0,
  received_at timestamptz not null default now(),
  primary key (workspace_id, instance_id, n),
  unique (workspace_id, instance_id, part_id)
) with (fillfactor = 90);
create index ingress_parts_received on ingress_parts (received_at);

-- Templates of messages as the channel lists them.
create table message_templates (
  workspace_id uuid not null,
  instance_id uuid not null,
  id uuid not null,
  name text not null,
  language text not null,
  category text,
  state text not null,
  reason text,
  components jsonb not null,
  updated_at timestamptz not null,
  primary key (workspace_id, instance_id, id),
  unique (workspace_id, instance_id, name, language)
);

-- When the other side last wrote, which opens the window for replies on channels that have one.
alter table chats add column last_inbound_at timestamptz;

-- Since when messages of the account cannot reach the address; null while they can.
alter table contact_identities add column unreachable_since timestamptz;
