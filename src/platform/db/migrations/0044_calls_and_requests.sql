-- The request log shows the requests of API keys first, among many of people in the console. Only new partitions have the
-- index: the log keeps seven days, and building it for all of them would hold the locks below for as long.
create index api_requests_of_keys on only api_requests (workspace_id, id) where api_key_id is not null;

-- Requests to an endpoint whose body or signature is invalid: how many, and the last one.
alter table publishing_counters
  add column invalid bigint not null default 0,
  add column last_invalid_at timestamptz,
  add column last_invalid_code text,
  add column last_invalid_detail text;

-- Whether a call only tested its provider. The constant default rewrites no row.
alter table model_calls add column is_test boolean not null default false;
