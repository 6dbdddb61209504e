-- Addresses that a user signed in from: strangers who use up the attempts of an email don't lock them out.
-- The key is a hash of email and address. Unlike auth_attempts this outlives a crash.
create table known_addresses (
  key bytea primary key,
  expires_at timestamptz not null
);
create index known_addresses_expires on known_addresses (expires_at);
