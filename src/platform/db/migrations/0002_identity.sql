-- Who people are: users, their sessions, their credentials, reset tokens, and how often somebody guessed.
-- These tables are not sharded; no table of a workspace refers to them by a constraint.
-- Session tokens, reset tokens and the setup token are stored as hashes only.

create table users (
  id uuid primary key,
  name text not null,
  email text not null check (email = lower(email)),
  email_verified boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  disabled_at timestamptz
);
create unique index users_email_key on users (email);

create table sessions (
  id uuid primary key,
  user_id uuid not null references users (id) on delete cascade,
  token_hash text not null,
  expires_at timestamptz not null,
  ip_address text,
  user_agent text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create unique index sessions_token_hash_key on sessions (token_hash);
create index sessions_user on sessions (user_id);
create index sessions_expiry on sessions (expires_at);

-- How a user can prove who they are: provider "credential" holds a password hash (PHC string).
create table accounts (
  id uuid primary key,
  user_id uuid not null references users (id) on delete cascade,
  provider_id text not null,
  account_id text not null,
  password text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create unique index accounts_provider_key on accounts (provider_id, account_id);
create index accounts_user on accounts (user_id);

-- Single-use tokens. `identifier` is the hash of the token with its purpose, `value` the user's id.
create table verifications (
  id uuid primary key,
  identifier text not null,
  value text not null,
  expires_at timestamptz not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index verifications_identifier on verifications (identifier);
create index verifications_value on verifications (value);
create index verifications_expiry on verifications (expires_at);

-- One row. Each sign-up locks it, so that of two first users only one is first. The token is asked of the first
-- user where others than this machine can reach the server.
create table first_user_setup (
  singleton boolean primary key default true check (singleton),
  token_hash bytea,
  token_made_at timestamptz
);
insert into first_user_setup default values;

-- Counters against guessing, shared by all processes. Unlogged: a crash may forget them, a flood costs no WAL.
create unlogged table auth_attempts (
  key bytea primary key,
  used integer not null,
  window_ends timestamptz not null
) with (fillfactor = 70);
create index auth_attempts_end on auth_attempts (window_ends);

-- Whatever ends a session or changes what one says raises the epoch in the same transaction, whoever does it.
create function raise_auth_epoch_for_sessions() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    -- An expired session was untrue already.
    if not exists (select from old_rows where expires_at > now()) then return null; end if;
  elsif not exists (
    select from old_rows o join new_rows n on n.id = o.id
    where n.expires_at < o.expires_at or n.token_hash <> o.token_hash or n.user_id <> o.user_id
  ) then return null;
  end if;
  update auth_epoch set epoch = epoch + 1;
  return null;
end $$;

create trigger sessions_deleted after delete on sessions
  referencing old table as old_rows
  for each statement execute function raise_auth_epoch_for_sessions();
create trigger sessions_updated after update on sessions
  referencing old table as old_rows new table as new_rows
  for each statement execute function raise_auth_epoch_for_sessions();

create function raise_auth_epoch_for_users() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    if not exists (select from old_rows) then return null; end if;
  elsif not exists (
    select from old_rows o left join new_rows n on n.id = o.id
    where (o.name, o.email, o.disabled_at) is distinct from (n.name, n.email, n.disabled_at)
  ) then return null;
  end if;
  update auth_epoch set epoch = epoch + 1;
  return null;
end $$;

create trigger users_deleted after delete on users
  referencing old table as old_rows
  for each statement execute function raise_auth_epoch_for_users();
create trigger users_updated after update on users
  referencing old table as old_rows new table as new_rows
  for each statement execute function raise_auth_epoch_for_users();
