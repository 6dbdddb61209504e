-- How long a workspace keeps media; null: for ever.

alter table workspaces
  add column media_retention_days integer check (media_retention_days between 1 and 36500);
create index workspaces_media_retention on workspaces (id)
  where media_retention_days is not null and deleted_at is null;
