-- Groups, as the channel tells of them and callers change them. What is done at the channel waits in send_queue, in the
-- order of the group's chat.

create table groups (
  workspace_id uuid not null,
  id uuid not null,
  instance_id uuid not null,
  -- The channel's own key, and its chat's.
  key text not null,
  chat_id uuid not null,
  subject text not null,
  description text,
  -- Of media.
  picture_id uuid,
  -- Where the picture was fetched from: that it changed.
  picture_url text,
  announce_only boolean not null default false,
  locked boolean not null default false,
  members_only boolean not null default false,
  invite_url text,
  -- The account's own place: in it, or not any more, and why.
  membership text not null check (membership in ('joined', 'left', 'removed', 'banned', 'destroyed')),
  participants integer not null default 0 check (participants >= 0),
  metadata jsonb not null default '{}',
  created_by text,
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (workspace_id, id)
) with (fillfactor = 80);
create unique index groups_key on groups (workspace_id, instance_id, key);
create unique index groups_chat on groups (workspace_id, chat_id);
create index groups_media on groups (workspace_id, picture_id) where picture_id is not null;

-- Who is in it. Contacts are found by address (contact_identities); not everybody in a group is one.
create table group_participants (
  workspace_id uuid not null,
  instance_id uuid not null,
  group_id uuid not null,
  -- Normalised.
  address text not null,
  role text not null check (role in ('owner', 'admin', 'member')),
  -- What the channel calls it.
  name text,
  created_at timestamptz not null,
  primary key (workspace_id, group_id, address)
);
create index group_participants_address on group_participants (workspace_id, instance_id, address);

alter table send_queue drop constraint send_queue_action_check;
alter table send_queue add constraint send_queue_action_check
  check (action in ('send', 'edit', 'revoke', 'react', 'read', 'block', 'unblock', 'check', 'group'));
