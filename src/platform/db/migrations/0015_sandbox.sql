-- The server of the sandbox channel: what a channel keeps at its end. All nodes share it, and it outlives any of them.
-- Accounts are the instances of the channel; their addresses stand in `instances`.

-- What an account is still to be told, in order. A row goes once it was told, that is, once it is stored on our side.
create table sandbox_inbox (
  n bigint generated always as identity primary key,
  workspace_id uuid not null,
  instance_id uuid not null,
  due_at timestamptz not null default now(),
  -- JSON array of signals. Not jsonb, which takes no NUL.
  signals text not null,
  -- Who wrote it, to be told that it was delivered.
  sender_id uuid
);
create index sandbox_inbox_instance on sandbox_inbox (instance_id, due_at, n);
create index sandbox_inbox_due on sandbox_inbox (due_at);
create index sandbox_inbox_workspace on sandbox_inbox (workspace_id);

-- What was taken, by the id that its sender chose: nothing is taken twice. Kept for two days.
create table sandbox_sent (
  instance_id uuid not null,
  client_id text not null,
  workspace_id uuid not null,
  -- Whom it went to, where that is an account; scripted contacts are none.
  recipient_id uuid,
  taken_at timestamptz not null default now(),
  -- Not taken yet: it was refused for the time being.
  held_until timestamptz,
  primary key (instance_id, client_id)
);
create index sandbox_sent_taken on sandbox_sent (taken_at);
create index sandbox_sent_workspace on sandbox_sent (workspace_id);

-- Files on their way to another account, in pieces.
create table sandbox_files (
  instance_id uuid not null,
  client_id text not null,
  part integer not null,
  workspace_id uuid not null,
  bytes bytea not null,
  created_at timestamptz not null default now(),
  primary key (instance_id, client_id, part)
);
create index sandbox_files_created on sandbox_files (created_at);
create index sandbox_files_workspace on sandbox_files (workspace_id);

-- Accounts that are paired.
create table sandbox_sessions (
  instance_id uuid primary key,
  workspace_id uuid not null,
  session text not null
);
create index sandbox_sessions_workspace on sandbox_sessions (workspace_id);

create table sandbox_blocks (
  instance_id uuid not null,
  address text not null,
  workspace_id uuid not null,
  primary key (instance_id, address)
);
create index sandbox_blocks_workspace on sandbox_blocks (workspace_id);
