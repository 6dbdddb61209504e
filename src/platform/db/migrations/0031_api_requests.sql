-- The request log: API calls of the last 7 days. It holds no bodies, query strings or credentials.
create table api_requests (
  workspace_id uuid not null,
  -- The request ID as a UUIDv7: it holds the time at which the request arrived.
  id uuid not null,
  created_at timestamptz not null,
  method text not null,
  operation text not null,
  -- The path pattern of the operation, never the path that was requested.
  route text not null,
  status smallint not null,
  error_code text,
  -- Exactly one of them is set.
  api_key_id uuid,
  user_id uuid,
  -- The name of the key or person at that time.
  actor_name text not null,
  address text not null,
  duration_ms integer not null,
  primary key (workspace_id, id)
) partition by range (id);
create index api_requests_error on api_requests (workspace_id, error_code, id) where error_code is not null;
create index api_requests_failed on api_requests (workspace_id, id) where status >= 400;
create index api_requests_key on api_requests (workspace_id, api_key_id, id) where api_key_id is not null;
create index api_requests_user on api_requests (workspace_id, user_id, id) where user_id is not null;
create index api_requests_operation on api_requests (workspace_id, operation, id);
create index api_requests_address on api_requests (workspace_id, address, id);
create table api_requests_default partition of api_requests default;

-- Requests by UTC hour, written in the transaction that adds them to the log.
create table request_stats (
  workspace_id uuid not null,
  hour timestamptz not null,
  operation text not null,
  -- Public ID of the key or person.
  actor text not null,
  -- 2 for 2xx.
  status_class smallint not null,
  requests integer not null default 0,
  duration_ms bigint not null default 0,
  primary key (workspace_id, hour, operation, actor, status_class)
) with (fillfactor = 50);
create index request_stats_hour on request_stats (hour);
create index request_stats_actor on request_stats (workspace_id, actor, hour);
