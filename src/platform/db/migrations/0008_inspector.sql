-- The request inspector: receiver addresses of a workspace, and what last arrived at them.

create table inspectors (
  workspace_id uuid not null,
  id uuid not null,
  name text not null,
  token_sealed text not null,
  -- What whoever calls is answered.
  answer_status smallint not null default 200 check (answer_status between 200 and 599),
  answer_delay_ms integer not null default 0 check (answer_delay_ms between 0 and 20000),
  answer_headers jsonb not null default '{}',
  answer_body text not null default '',
  metadata jsonb not null default '{}',
  -- How many requests ever came. Its row is locked while one is kept, so their numbers have no holes.
  received bigint not null default 0,
  last_received_at timestamptz,
  -- Public id of the key or person.
  created_by text not null,
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (workspace_id, id)
) with (fillfactor = 70);

create table inspect_tokens (
  -- SHA-256 of the token.
  hash bytea primary key,
  workspace_id uuid not null,
  inspector_id uuid not null
);
create index inspect_tokens_inspector on inspect_tokens (workspace_id, inspector_id);

create table inspector_requests (
  workspace_id uuid not null,
  inspector_id uuid not null,
  number bigint not null,
  id uuid not null,
  source text not null check (source in ('http', 'delivery')),
  method text not null,
  -- Beyond the token.
  path text not null,
  -- Sealed JSON of query and headers, which may hold credentials.
  head_sealed text not null,
  content_type text,
  -- The beginning of the body.
  body bytea not null,
  -- Bytes that the body had.
  size integer not null,
  -- Bytes that are kept of the request.
  kept_bytes integer not null,
  remote_address text,
  webhook_id uuid,
  event_type text,
  signature text not null check (signature in ('absent', 'unchecked', 'valid', 'invalid')),
  answer_status smallint not null,
  answer_delay_ms integer not null,
  created_at timestamptz not null,
  primary key (workspace_id, inspector_id, number) include (kept_bytes)
);
create unique index inspector_requests_id on inspector_requests (workspace_id, id);
create index inspector_requests_created on inspector_requests (created_at);
