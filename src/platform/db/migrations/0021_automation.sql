-- Automation: publishing endpoints and their publications. docs/architecture.md, "The way of a message", shows how
-- the tables work together.

-- The rules that led to an event, first cause first: [{"rule_id", "run_id"}, …]; null for what no rule caused.
alter table outbox add column chain jsonb;
alter table outbox_rejected add column chain jsonb;
alter table events add column chain jsonb;

alter table webhooks drop constraint webhooks_kind_check;
alter table webhooks add constraint webhooks_kind_check
  check (kind in ('custom', 'zapier', 'make', 'n8n', 'slack', 'discord', 'teams'));
-- Event type → Liquid, where the body of that kind of webhook is to be another than the usual one.
alter table webhooks add column templates jsonb not null default '{}';

create table publishing_endpoints (
  workspace_id uuid not null,
  id uuid not null,
  name text not null,
  auth_type text not null check (auth_type in ('bearer', 'secret_url', 'signature')),
  scheme text check (scheme in ('standard_webhooks', 'github', 'stripe', 'slack', 'hmac')),
  -- Of the scheme hmac: which header, algorithm, encoding, timestamp. And how old a signed timestamp may be.
  scheme_options jsonb not null default '{}',
  -- What signatures are checked with; the one before counts for a while after a rotation.
  secret_sealed text,
  previous_secret_sealed text,
  previous_secret_until timestamptz,
  -- Last characters of the secret address.
  token_last4 text,
  -- Number of the definition that counts, and that definition.
  revision integer not null,
  definition jsonb not null,
  -- Those of its destinations.
  instance_ids uuid[] not null,
  rate_limit_per_minute integer check (rate_limit_per_minute > 0),
  rate_limit_burst integer check (rate_limit_burst > 0),
  enabled boolean not null default true,
  metadata jsonb not null default '{}',
  created_by text not null,
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (workspace_id, id),
  constraint publishing_endpoints_scheme check ((auth_type = 'signature') = (scheme is not null)),
  constraint publishing_endpoints_secret check ((auth_type = 'signature') = (secret_sealed is not null))
);

create index publishing_endpoints_previous on publishing_endpoints (previous_secret_until)
  where previous_secret_until is not null;
create index publishing_endpoints_instances on publishing_endpoints using gin (instance_ids);

-- Every definition that an endpoint ever had, so that what was received under one can be rendered by it again.
create table publishing_revisions (
  workspace_id uuid not null,
  endpoint_id uuid not null,
  revision integer not null,
  definition jsonb not null,
  created_at timestamptz not null,
  primary key (workspace_id, endpoint_id, revision)
);

-- Counted beside, so that what comes in is no edit of the endpoint.
create table publishing_counters (
  workspace_id uuid not null,
  endpoint_id uuid not null,
  received bigint not null default 0,
  last_received_at timestamptz,
  primary key (workspace_id, endpoint_id)
) with (fillfactor = 50);

-- What stands behind /in/: SHA-256 of the token, over all workspaces.
create table in_tokens (
  hash bytea primary key,
  workspace_id uuid not null,
  endpoint_id uuid not null,
  -- Of one that was rotated: until when it still counts.
  expires_at timestamptz
);
create index in_tokens_endpoint on in_tokens (workspace_id, endpoint_id);
create index in_tokens_expires on in_tokens (expires_at) where expires_at is not null;

-- The last payloads of an endpoint, with what looks secret masked.
create table publishing_samples (
  workspace_id uuid not null,
  endpoint_id uuid not null,
  -- The publication's.
  id uuid not null,
  content_type text,
  payload jsonb not null,
  headers jsonb not null,
  query jsonb not null,
  created_at timestamptz not null,
  primary key (workspace_id, endpoint_id, id)
);

create table publications (
  workspace_id uuid not null,
  id uuid not null,
  endpoint_id uuid not null,
  -- The definition that it was rendered by.
  revision integer not null,
  status text not null check (status in (
    'received', 'scheduled', 'publishing', 'published', 'partially_published', 'failed', 'rejected', 'duplicate', 'canceled'
  )),
  -- A stable word: why it was canceled.
  reason text,
  -- Why it was rejected: {code, detail, errors}.
  error jsonb,
  source text not null check (source in ('bearer', 'secret_url', 'signature', 'replay')),
  replay_of uuid,
  duplicate_of uuid,
  content_type text,
  -- Bytes of the body.
  size integer not null,
  scheduled_at timestamptz,
  -- Public id of the key or person; of the endpoint where nobody is known.
  created_by text not null,
  finished_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (workspace_id, id)
) with (fillfactor = 80);
create index publications_endpoint on publications (workspace_id, endpoint_id, id);
create index publications_finished on publications (finished_at) where finished_at is not null;
create index publications_open on publications (created_at) where finished_at is null;

-- What came, and what was made of it for each destination: [{…the body of a message…}], with null for one that it isn't
-- published to.
create table publication_inputs (
  workspace_id uuid not null,
  publication_id uuid not null,
  payload jsonb not null,
  headers jsonb not null,
  query jsonb not null,
  messages jsonb not null,
  -- Position → why nothing could be made for it: {code, detail}. null where all could be.
  faults jsonb,
  primary key (workspace_id, publication_id)
);

-- What became of each destination.
create table publication_results (
  workspace_id uuid not null,
  publication_id uuid not null,
  -- Which destination, from 0.
  position smallint not null,
  instance_id uuid not null,
  recipient text not null,
  type text not null,
  status text not null check (status in ('pending', 'queued', 'sent', 'delivered', 'read', 'failed', 'canceled')),
  -- The latest message made for it.
  message_id uuid,
  error_code text,
  error_detail text,
  error_retryable boolean,
  -- Messages made for it.
  attempts smallint not null default 0,
  next_attempt_at timestamptz,
  updated_at timestamptz not null,
  primary key (workspace_id, publication_id, position)
) with (fillfactor = 70);
create index publication_results_message on publication_results (workspace_id, message_id) where message_id is not null;

-- Publications with something to do. Taken under an advisory lock of their bucket (endpoints by hash), in order.
create table publication_queue (
  publication_id uuid primary key,
  workspace_id uuid not null,
  endpoint_id uuid not null,
  bucket smallint not null,
  due_at timestamptz not null,
  failures smallint not null default 0
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);
-- With the id, as many are due at the very same time: when quiet hours end.
create index publication_queue_due on publication_queue (bucket, due_at, publication_id);
-- Endpoints take turns.
create index publication_queue_endpoint on publication_queue (bucket, endpoint_id, due_at, publication_id);

-- Publications of which something is to be noted: of whose messages the event log has told something (left by the sequencer,
-- which waits for no lock), and those that came and are not in the queue at once (to be counted, and kept as a sample).
create table publication_news (
  n bigint generated always as identity primary key,
  workspace_id uuid not null,
  publication_id uuid not null,
  is_arrival boolean not null default false
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);

-- Keys by which a payload is known to have come already.
create table publication_keys (
  workspace_id uuid not null,
  endpoint_id uuid not null,
  -- SHA-256.
  key_hash bytea not null,
  publication_id uuid not null,
  expires_at timestamptz not null,
  primary key (workspace_id, endpoint_id, key_hash)
);
create index publication_keys_expires on publication_keys (expires_at);
