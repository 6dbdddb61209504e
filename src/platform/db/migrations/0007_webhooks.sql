-- Webhooks: subscriptions, the queue of deliveries, and the log of attempts.
-- docs/architecture.md, "The way of a message", shows how the tables work together.

create table webhooks (
  workspace_id uuid not null,
  id uuid not null,
  url text not null,
  events text[] not null,
  filter_instance_id text,
  filter_link_id text,
  filter_tag text,
  description text,
  kind text not null default 'custom' check (kind in ('custom')),
  -- Sealed: the value of a header may be a credential. JSON of name → value.
  headers_sealed text,
  header_names text[] not null default '{}',
  secret_sealed text not null,
  -- What signs besides for a day after a rotation.
  previous_secret_sealed text,
  previous_secret_until timestamptz,
  enabled boolean not null default true,
  disabled_reason text check (disabled_reason in ('user', 'gone', 'failing')),
  disabled_at timestamptz,
  rate_limit_per_minute integer check (rate_limit_per_minute > 0),
  rate_limit_burst integer check (rate_limit_burst > 0),
  concurrency integer not null check (concurrency > 0),
  ordering text not null default 'none' check (ordering in ('none', 'per_resource')),
  metadata jsonb not null default '{}',
  -- Public id of the key or person. The same subscription by the same maker is the same webhook.
  created_by text not null,
  subscription_hash bytea not null,
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (workspace_id, id)
);
create unique index webhooks_subscription_key on webhooks (workspace_id, created_by, subscription_hash);

-- What fan-out looks up: one row for each pattern of each enabled webhook.
create table webhook_subscriptions (
  workspace_id uuid not null,
  pattern text not null,
  webhook_id uuid not null,
  instance_id text,
  link_id text,
  tag text,
  ordered boolean not null,
  primary key (workspace_id, pattern, webhook_id)
);
create index webhook_subscriptions_webhook on webhook_subscriptions (workspace_id, webhook_id);

-- What claiming goes by, one row a webhook. Every change of a receiver's rows in delivery_queue but inserts happens under
-- the lock of this row. `in_flight` is the number of its claimed rows.
create table receivers (
  id uuid primary key,
  workspace_id uuid not null,
  enabled boolean not null default true,
  ordered boolean not null,
  -- Raised by every change of the webhook, so that senders know what they have cached is old.
  config_version integer not null default 1,
  concurrency integer not null,
  -- At most this many at once now: `concurrency`, or fewer while it doesn't answer in time.
  slots integer not null,
  in_flight integer not null default 0 check (in_flight >= 0),
  rate_per_minute integer,
  rate_burst integer,
  tokens double precision not null default 0,
  tokens_at timestamptz not null default now(),
  next_due_at timestamptz not null default 'infinity',
  -- Of what was tried lately: first failure since the last success, time-outs in a row.
  failing_since timestamptz,
  timeouts integer not null default 0,
  last_success_at timestamptz,
  last_failure_at timestamptz
) with (fillfactor = 50);
create index receivers_ready on receivers (next_due_at) where enabled and in_flight < slots;
create index receivers_workspace on receivers (workspace_id);

-- What fan-out and retries leave for the claimers, so that they need not lock the receiver: there are new rows.
create table receiver_wakes (
  n bigint generated always as identity primary key,
  workspace_id uuid not null,
  receiver_id uuid not null,
  order_key text
);

-- Deliveries that are not over. The row goes when the work is done.
create table delivery_queue (
  delivery_id uuid primary key,
  workspace_id uuid not null,
  receiver_id uuid not null,
  event_id uuid not null,
  -- Sequence of the event; with `order_key` what must go first. Of ordered rows all but the first wait at infinity.
  position bigint not null,
  order_key text,
  -- Attempts made, in all and in the present run of the schedule.
  attempts smallint not null default 0,
  step smallint not null default 0,
  due_at timestamptz not null,
  claimed_by uuid
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);
create index delivery_queue_due on delivery_queue (receiver_id, due_at);
create index delivery_queue_order on delivery_queue (receiver_id, order_key, position, delivery_id) where order_key is not null;

-- Who sends. Claims of a worker that did not renew in time are taken over.
create table delivery_workers (
  id uuid primary key,
  started_at timestamptz not null default now(),
  lease_until timestamptz not null
);

-- What became of each delivery. While `status` is pending its row in delivery_queue says when the next attempt is due.
create table deliveries (
  workspace_id uuid not null,
  id uuid not null,
  webhook_id uuid not null,
  event_id uuid not null,
  event_type text not null,
  status text not null default 'pending' check (status in ('pending', 'succeeded', 'exhausted', 'canceled')),
  -- Why it was canceled.
  reason text,
  attempts smallint not null default 0,
  last_attempt_at timestamptz,
  last_status_code smallint,
  last_error text,
  completed_at timestamptz,
  -- The status again where it ends without success: what lists of failures are found by, apart so that a success
  -- touches no index.
  failed_as text,
  created_at timestamptz not null,
  primary key (workspace_id, id)
) partition by range (id);
create index deliveries_webhook on deliveries (workspace_id, webhook_id, id);
create index deliveries_event on deliveries (workspace_id, event_id);
create index deliveries_failed on deliveries (workspace_id, webhook_id, failed_as, id) where failed_as is not null;
create table deliveries_default partition of deliveries default;

create table delivery_attempts (
  workspace_id uuid not null,
  delivery_id uuid not null,
  id uuid not null,
  number smallint not null,
  started_at timestamptz not null,
  duration_ms integer not null,
  url text not null,
  -- The address that was dialled.
  remote_address text,
  -- Names and values as sent; values that the workspace set are left out.
  request_headers jsonb not null,
  status_code smallint,
  response_headers jsonb,
  -- The first 4 KiB.
  response_body bytea,
  response_truncated boolean not null default false,
  error_code text,
  error_detail text,
  primary key (workspace_id, delivery_id, id)
) partition by range (id);
create table delivery_attempts_default partition of delivery_attempts default;

-- Attempts by hour, for health and its picture.
create table webhook_stats (
  workspace_id uuid not null,
  webhook_id uuid not null,
  hour timestamptz not null,
  succeeded integer not null default 0,
  failed integer not null default 0,
  duration_ms bigint not null default 0,
  primary key (workspace_id, webhook_id, hour)
) with (fillfactor = 50);
