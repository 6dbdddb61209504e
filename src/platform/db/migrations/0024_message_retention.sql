-- How long a workspace keeps messages; null: for ever.

alter table workspaces
  add column message_retention_days integer check (message_retention_days between 1 and 36500);
create index workspaces_message_retention on workspaces (id)
  where message_retention_days is not null and deleted_at is null;
