-- Messages as their channels delivered them, such as an email with all its headers: the media object that holds it.
create table message_sources (
  workspace_id uuid not null,
  instance_id uuid not null,
  message_id uuid not null,
  media_id uuid not null,
  primary key (workspace_id, message_id)
);
create index message_sources_instance on message_sources (workspace_id, instance_id);
