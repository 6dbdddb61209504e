-- Workspaces, keys, the event log, and what every operation needs (idempotency, audit, limits).
-- Tenant tables carry (workspace_id, id) as primary key and are named with workspace_id in each query, so that
-- they can be sharded by it. What must be unique everywhere is a table of its own.

create table workspaces (
  id uuid primary key,
  name text not null,
  slug text not null,
  version integer not null default 1,
  metadata jsonb not null default '{}',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz
);
create unique index workspaces_slug_key on workspaces (slug);
create index workspaces_deleted on workspaces (deleted_at) where deleted_at is not null;

create table members (
  workspace_id uuid not null,
  user_id uuid not null,
  role text not null check (role in ('owner', 'admin', 'developer', 'viewer')),
  version integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (workspace_id, user_id)
);
create index members_user on members (user_id);

create table invitations (
  workspace_id uuid not null,
  id uuid not null,
  email text not null,
  role text not null check (role in ('owner', 'admin', 'developer', 'viewer')),
  state text not null default 'pending' check (state in ('pending', 'accepted', 'revoked')),
  invited_by uuid,
  accepted_by uuid,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  expires_at timestamptz not null,
  primary key (workspace_id, id)
);
create table invite_tokens (
  hash bytea primary key,
  workspace_id uuid not null,
  invitation_id uuid not null
);
create index invite_tokens_invitation on invite_tokens (workspace_id, invitation_id);

create table api_keys (
  workspace_id uuid not null,
  id uuid not null,
  name text not null,
  prefix text not null,
  last4 text not null,
  scopes text[] not null,
  preset text,
  expires_at timestamptz,
  allowed_ips text[] not null default '{}',
  allowed_origins text[] not null default '{}',
  rate_limit_per_minute integer,
  rate_limit_burst integer,
  metadata jsonb not null default '{}',
  created_by text,
  version integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  revoked_at timestamptz,
  reminded_at timestamptz,
  primary key (workspace_id, id)
);
create index api_keys_expiry on api_keys (expires_at) where revoked_at is null and reminded_at is null;

-- A key may answer to two secrets while a rotation overlaps.
create table key_hashes (
  hash bytea primary key,
  workspace_id uuid not null,
  key_id uuid not null,
  valid_until timestamptz,
  created_at timestamptz not null default now()
);
create index key_hashes_key on key_hashes (workspace_id, key_id);

create table key_origins (
  origin text not null,
  workspace_id uuid not null,
  key_id uuid not null,
  primary key (origin, workspace_id, key_id)
);

-- Written in batches, never by an edit, so apart from the key and its version.
create table key_usage (
  workspace_id uuid not null,
  key_id uuid not null,
  last_used_at timestamptz not null,
  last_used_ip inet,
  last_used_operation text,
  primary key (workspace_id, key_id)
) with (fillfactor = 70);

create table rate_buckets (
  key_id uuid primary key,
  tokens double precision not null,
  held double precision not null default 0,
  drawn_at timestamptz not null default clock_timestamp()
) with (fillfactor = 50);

-- One row; whatever makes a cached key, session or role untrue raises it in the same transaction.
create table auth_epoch (
  singleton boolean primary key default true check (singleton),
  epoch bigint not null default 1
);
insert into auth_epoch default values;

create table idempotency_keys (
  actor text not null,
  operation text not null,
  key text not null,
  workspace_id uuid,
  request_hash bytea not null,
  status integer not null,
  headers jsonb not null default '{}',
  body jsonb,
  created_at timestamptz not null default now(),
  primary key (actor, operation, key)
);
create index idempotency_keys_age on idempotency_keys (created_at);
create index idempotency_keys_workspace on idempotency_keys (workspace_id);

create table audit_log (
  workspace_id uuid not null,
  id uuid not null,
  action text not null,
  actor_type text not null,
  actor_id text,
  actor_name text,
  target_type text,
  target_id text,
  ip text,
  request_id text,
  details jsonb not null default '{}',
  created_at timestamptz not null default now(),
  primary key (workspace_id, id)
);

-- Events: writers insert into the outbox in the transaction of the change; a sequencer moves committed rows.
create table outbox (
  n bigint generated always as identity primary key,
  bucket smallint not null,
  workspace_id uuid not null,
  event_id uuid not null,
  type text not null,
  resource_id text,
  data jsonb not null,
  truncated boolean not null default false,
  created_at timestamptz not null default now()
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);
create index outbox_bucket on outbox (bucket, n);

create table workspace_sequences (
  workspace_id uuid primary key,
  last_sequence bigint not null default 0,
  expired_through bigint not null default 0
) with (fillfactor = 70);

create table events (
  id uuid not null,
  workspace_id uuid not null,
  sequence bigint not null,
  type text not null,
  resource_id text,
  data jsonb not null,
  truncated boolean not null default false,
  created_at timestamptz not null,
  primary key (workspace_id, id)
) partition by range (id);
create index events_sequence on events (workspace_id, sequence);
create index events_type on events (workspace_id, type, sequence);
create table events_default partition of events default;

create table model_usage (
  workspace_id uuid not null,
  day date not null,
  actor text not null,
  model text not null,
  requests bigint not null default 0,
  prompt_tokens bigint not null default 0,
  completion_tokens bigint not null default 0,
  primary key (workspace_id, day, actor, model)
);

create table jobs (
  workspace_id uuid not null,
  id uuid not null,
  type text not null,
  state text not null default 'queued' check (state in ('queued', 'running', 'succeeded', 'failed', 'canceled')),
  progress jsonb not null default '{}',
  result jsonb,
  error jsonb,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  finished_at timestamptz,
  primary key (workspace_id, id)
);

-- A value that only the right secret can open; checked at every start.
create table secret_checks (
  singleton boolean primary key default true check (singleton),
  sealed text not null
);
