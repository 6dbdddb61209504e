-- Addresses that a user signed in from: strangers who use up the attempts of an email don't lock them out.
-- The key is a hash of email and address. Unlike auth_attempts this outlives a crash.
create table known_addresses (
  key bytea primary key,
  expires_at timestamptz not null
);
create index known_addresses_expires on known_addresses (expires_at);

-- What an API key created can end with it. Keys of before keep what they created.
alter table api_keys add column disable_created_on_end boolean not null default false;
-- When that was done for a key that expired.
alter table api_keys add column created_disabled_at timestamptz;
create index api_keys_ending on api_keys (expires_at)
  where disable_created_on_end and created_disabled_at is null and revoked_at is null;

-- What a key or person created. Tables of configuration, so the indexes are built in one go; webhooks have theirs already
-- (webhooks_subscription_key), and a workspace has at most 20 inspectors.
create index api_keys_creator on api_keys (workspace_id, created_by, id);
create index instances_creator on instances (workspace_id, created_by, id);
create index publishing_endpoints_creator on publishing_endpoints (workspace_id, created_by, id);
create index rules_creator on rules (workspace_id, created_by, id);

alter table inspectors add column enabled boolean not null default true;

-- Not validated: every row passed the narrower check before.
alter table webhooks drop constraint webhooks_disabled_reason_check;
alter table webhooks add constraint webhooks_disabled_reason_check
  check (disabled_reason in ('user', 'gone', 'failing', 'api_key_revoked', 'api_key_expired', 'member_removed')) not valid;
