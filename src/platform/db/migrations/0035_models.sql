-- Model providers, routes, budgets, calls and their daily totals.
create table model_providers (
  workspace_id uuid not null,
  id uuid not null,
  name text not null,
  -- First part of the IDs of its models.
  slug text not null,
  kind text not null,
  base_url text not null,
  -- JSON: {"api_key": text or null, "headers": {name: value}}.
  secrets_sealed text,
  has_api_key boolean not null default false,
  header_names text[] not null default '{}',
  -- Null for every listed model, else [{"id", "alias"}].
  models jsonb,
  -- Model → {"input", "output", "cached_input"} in USD per million tokens.
  prices jsonb not null default '{}',
  timeout_seconds integer not null,
  max_concurrency integer,
  enabled boolean not null default true,
  state text not null default 'active' check (state in ('active', 'failing')),
  last_error jsonb,
  -- Of the provider's own model list, when it was last read.
  models_count integer not null default 0,
  listed_at timestamptz,
  refresh_at timestamptz not null,
  metadata jsonb not null default '{}',
  created_by text,
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (workspace_id, id),
  unique (workspace_id, slug)
);
create index model_providers_refresh on model_providers (refresh_at) where enabled;

-- The providers' own model lists, as they were last read.
create table model_provider_models (
  workspace_id uuid not null,
  provider_id uuid not null,
  id text collate "C" not null,
  released_at timestamptz,
  owned_by text,
  context_length integer,
  max_output integer,
  -- {"input": [...], "output": [...]}; null if not known.
  modalities jsonb,
  capabilities text[] not null default '{}',
  -- {"input", "output", "cached_input"} in USD per million tokens; null if not listed.
  price jsonb,
  primary key (workspace_id, provider_id, id)
);

create table model_routes (
  workspace_id uuid not null,
  id uuid not null,
  name text not null,
  -- [{"model", "timeout_seconds"}], in the order in which they are tried.
  attempts jsonb not null,
  metadata jsonb not null default '{}',
  created_by text,
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (workspace_id, id),
  unique (workspace_id, name)
);

create table model_budgets (
  workspace_id uuid not null,
  id uuid not null,
  name text not null,
  -- Null for the whole workspace.
  api_key_id uuid,
  unit text not null check (unit in ('usd', 'tokens', 'calls')),
  -- Calls, tokens, or billionths of a USD, as the amounts below.
  limit_amount bigint not null,
  window_kind text not null check (window_kind in ('day', 'month', 'total')),
  window_start timestamptz not null,
  used bigint not null default 0,
  -- By calls that are under way.
  reserved bigint not null default 0,
  -- Highest percentage that was announced in this window.
  announced smallint not null default 0,
  metadata jsonb not null default '{}',
  created_by text,
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (workspace_id, id)
) with (fillfactor = 50);
create index model_budgets_key on model_budgets (workspace_id, api_key_id);

-- Calls that are under way. A process that dies leaves its calls, which end once their lease is over.
create table model_open_calls (
  workspace_id uuid not null,
  id uuid not null,
  actor text not null,
  operation text not null,
  model text not null,
  route text,
  lease_until timestamptz not null,
  -- [{"budget_id", "window_start", "amount"}].
  reservations jsonb not null default '[]',
  primary key (workspace_id, id)
) with (fillfactor = 70);
create index model_open_calls_lease on model_open_calls (lease_until);

-- One row for each call, at most 300 bytes: columns are ordered so that none needs padding. It holds no prompts and no
-- responses.
create table model_calls (
  workspace_id uuid not null,
  -- A UUIDv7: it holds the time at which the call began.
  id uuid not null,
  provider_id uuid,
  -- Billionths of a USD; null if the price is not known.
  cost bigint,
  input_tokens integer not null default 0,
  cached_tokens integer not null default 0,
  output_tokens integer not null default 0,
  first_byte_ms integer,
  duration_ms integer not null,
  -- HTTP status of the response; null if none was sent.
  status smallint,
  -- Whether the provider reported no usage.
  is_estimated boolean not null default false,
  -- Public ID of the key or person.
  actor text not null,
  operation text not null,
  outcome text not null check (outcome in ('succeeded', 'failed', 'canceled', 'interrupted')),
  -- The model that answered; of a call that no model answered, the one that was asked last.
  model text not null,
  route text,
  error_code text,
  -- Of a route: how each attempt ended, in order, one on each line.
  attempts text,
  primary key (workspace_id, id)
) partition by range (id);
create table model_calls_default partition of model_calls default;

-- Prompts and responses, of calls in workspaces that store them; kept for 7 days.
create table model_call_contents (
  workspace_id uuid not null,
  -- That of the call.
  id uuid not null,
  -- JSON: {"request": text, "response": text or null, "truncated": boolean}.
  content_sealed text not null,
  primary key (workspace_id, id)
) partition by range (id);
create table model_call_contents_default partition of model_call_contents default;

create table model_call_stats (
  workspace_id uuid not null,
  -- In UTC.
  day date not null,
  actor text not null,
  model text not null,
  -- Public ID; empty for the built-in provider.
  provider text not null,
  -- Empty for a call without a route.
  route text not null,
  calls bigint not null default 0,
  failures bigint not null default 0,
  input_tokens bigint not null default 0,
  cached_tokens bigint not null default 0,
  output_tokens bigint not null default 0,
  cost bigint not null default 0,
  -- Number of calls without a known price.
  unpriced_calls bigint not null default 0,
  -- Number of calls by the time to their first byte; the bounds stand in latency-buckets.ts. Columns are summed twice as
  -- fast as elements of an array.
  first_byte_0 integer not null default 0,
  first_byte_1 integer not null default 0,
  first_byte_2 integer not null default 0,
  first_byte_3 integer not null default 0,
  first_byte_4 integer not null default 0,
  first_byte_5 integer not null default 0,
  first_byte_6 integer not null default 0,
  first_byte_7 integer not null default 0,
  first_byte_8 integer not null default 0,
  first_byte_9 integer not null default 0,
  first_byte_10 integer not null default 0,
  first_byte_11 integer not null default 0,
  first_byte_12 integer not null default 0,
  first_byte_13 integer not null default 0,
  first_byte_14 integer not null default 0,
  first_byte_15 integer not null default 0,
  first_byte_16 integer not null default 0,
  first_byte_17 integer not null default 0,
  first_byte_18 integer not null default 0,
  first_byte_19 integer not null default 0,
  first_byte_20 integer not null default 0,
  first_byte_21 integer not null default 0,
  first_byte_22 integer not null default 0,
  first_byte_23 integer not null default 0,
  first_byte_24 integer not null default 0,
  primary key (workspace_id, day, actor, model, provider, route)
) with (fillfactor = 70);
create index model_call_stats_day on model_call_stats (day);

-- Null for every model.
alter table api_keys add column allowed_models text[];
alter table workspaces add column time_zone text not null default 'UTC';
alter table workspaces add column store_model_calls boolean not null default false;
