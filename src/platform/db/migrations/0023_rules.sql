-- Rules, what waits for them, and what they did.

create table rules (
  workspace_id uuid not null,
  id uuid not null,
  name text not null,
  description text,
  enabled boolean not null default true,
  events text[] not null,
  -- A Liquid condition; null for all.
  filter text,
  -- Without what is secret in them.
  actions jsonb not null,
  -- JSON: name of the action → what is secret in it.
  secrets_sealed text,
  rate_limit_per_minute integer not null check (rate_limit_per_minute > 0),
  rate_limit_burst integer not null check (rate_limit_burst > 0),
  metadata jsonb not null default '{}',
  created_by text not null,
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (workspace_id, id)
);

-- What fan-out looks up: one row for each pattern of each enabled rule.
create table rule_subscriptions (
  workspace_id uuid not null,
  pattern text not null,
  rule_id uuid not null,
  primary key (workspace_id, pattern, rule_id)
);
create index rule_subscriptions_rule on rule_subscriptions (workspace_id, rule_id);

-- Counted beside the rule, with the tokens of its rate.
create table rule_counters (
  workspace_id uuid not null,
  rule_id uuid not null,
  -- Events that its filter let pass, and that it held back.
  matched bigint not null default 0,
  skipped bigint not null default 0,
  succeeded bigint not null default 0,
  failed bigint not null default 0,
  stopped bigint not null default 0,
  last_run_at timestamptz,
  last_failed_at timestamptz,
  -- Why the latest run that was kept from running was: loop, depth, rate_limited.
  last_stopped_as text,
  last_stopped_at timestamptz,
  -- Stops that were told of within a minute, and since when that is counted: more are only counted.
  stops_told smallint not null default 0,
  stops_told_since timestamptz not null default 'epoch',
  tokens double precision not null default 0,
  tokens_at timestamptz not null default 'epoch',
  primary key (workspace_id, rule_id)
) with (fillfactor = 50);

-- Events that a rule is to look at, and runs that go on. The row goes when that is done.
create table rule_queue (
  -- The run's.
  id uuid primary key,
  workspace_id uuid not null,
  rule_id uuid not null,
  event_id uuid not null,
  -- The event's place in the log of the workspace, and what it tells of: runs of a rule for one object go in this order.
  position bigint not null,
  order_key text,
  -- The run that is repeated.
  replay_of uuid,
  -- Whether the run is in the log already.
  started boolean not null default false,
  -- Tries of the step that is next.
  tries smallint not null default 0,
  due_at timestamptz not null default now(),
  claimed_by uuid
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);
create index rule_queue_due on rule_queue (workspace_id, due_at, position) where claimed_by is null;
create index rule_queue_claimed on rule_queue (workspace_id, rule_id) where claimed_by is not null;

create table rule_workers (
  id uuid primary key,
  started_at timestamptz not null default now(),
  lease_until timestamptz not null
);

-- The log of what rules did.
create table rule_runs (
  workspace_id uuid not null,
  id uuid not null,
  rule_id uuid not null,
  event_id uuid not null,
  event_type text not null,
  event_sequence bigint not null,
  status text not null check (status in ('running', 'succeeded', 'failed', 'stopped', 'canceled')),
  -- The rule as it was: {filter, actions}. What is secret in it is not here.
  definition jsonb not null,
  -- [{name, type, status, tries, output, error, started_at, finished_at}]
  steps jsonb not null default '[]',
  error_code text,
  error_detail text,
  chain jsonb,
  replay_of uuid,
  finished_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (workspace_id, id)
) partition by range (id);
create index rule_runs_rule on rule_runs (workspace_id, rule_id, id);
create index rule_runs_ended on rule_runs (workspace_id, rule_id, status, id) where status in ('failed', 'stopped');
create table rule_runs_default partition of rule_runs default;

-- What rules have made (messages, links), so that what is told of it later is known to be caused by them.
create table caused_resources (
  workspace_id uuid not null,
  resource_id text not null,
  chain jsonb not null,
  created_at timestamptz not null default now(),
  primary key (workspace_id, resource_id)
);
create index caused_resources_created on caused_resources (created_at);
