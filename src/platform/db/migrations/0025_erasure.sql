-- Erasing a contact everywhere: what is still to be done, until it is.

-- Rows go when nothing is left of the contact; until then they are the one place that knows whom to look for.
create table contact_erasures (
  workspace_id uuid not null,
  id uuid not null,
  -- The contact's own, and those that were merged into it.
  contact_ids uuid[] not null,
  chat_ids uuid[] not null,
  -- [{instance_id, address}]: those that were its own, and those of its chats that are nobody's.
  identities jsonb not null,
  -- Of contact.deleted.
  event_id uuid not null,
  -- How far the log was walked through, and how often all was looked at.
  walked_through bigint not null default 0,
  looks smallint not null default 0,
  created_at timestamptz not null,
  primary key (workspace_id, id)
);
create index contact_erasures_created on contact_erasures (created_at);

-- Events that told of a contact which is being erased: deliveries and runs of theirs are emptied too.
create table erased_events (
  workspace_id uuid not null,
  erasure_id uuid not null,
  event_id uuid not null,
  primary key (workspace_id, erasure_id, event_id)
);

-- Fetched for one message, from the address that it named: it goes with that message. Others are the workspace's own.
alter table media add column for_message boolean not null default false;

-- What came named a contact that was erased: it is empty, and is not published again.
alter table publication_inputs add column erased boolean not null default false;
