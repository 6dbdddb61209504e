-- Groups of the sandbox channel, as its server keeps them: in a workspace, for all of its accounts.

create table sandbox_groups (
  workspace_id uuid not null,
  -- What stands in its address: `group:…`.
  id text not null,
  subject text not null,
  description text,
  announce_only boolean not null default false,
  locked boolean not null default false,
  members_only boolean not null default false,
  -- The secret of its invitation.
  invite text not null,
  -- Its picture, and what that is told by.
  picture bytea,
  picture_sha256 text,
  -- Since when no account is in it any more: scripted contacts alone are forgotten.
  abandoned_at timestamptz,
  primary key (workspace_id, id)
);
create index sandbox_groups_abandoned on sandbox_groups (abandoned_at) where abandoned_at is not null;

create table sandbox_group_members (
  workspace_id uuid not null,
  group_id text not null,
  address text not null,
  -- In the order in which they came.
  n bigint generated always as identity,
  role text not null check (role in ('owner', 'admin', 'member', 'banned')),
  -- Where it is an account; scripted contacts are none.
  instance_id uuid,
  primary key (workspace_id, group_id, address)
);
create index sandbox_group_members_instance on sandbox_group_members (instance_id) where instance_id is not null;

-- Where a message went, if that was a group.
alter table sandbox_sent add column group_id text;
