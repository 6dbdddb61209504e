-- Workspaces, members, invitations, audit log: what their rules and filters need.

-- A deleted workspace frees its slug at once, though its rows go later.
drop index workspaces_slug_key;
create unique index workspaces_slug_key on workspaces (slug) where deleted_at is null;

-- Members are listed by when they joined. Milliseconds, so that a cursor holds the time exactly.
alter table members alter column created_at type timestamptz (3);
create index members_joined on members (workspace_id, created_at desc, user_id desc);

-- Who invited: a person (invited_by) or an API key. Its power is looked at again when the invitation is accepted.
alter table invitations add column invited_by_key uuid;
alter table invitations add constraint invitations_one_inviter check (invited_by is null or invited_by_key is null);
-- Inviting an address again replaces the invitation before.
create unique index invitations_pending_key on invitations (workspace_id, email) where state = 'pending';

create index audit_log_action on audit_log (workspace_id, action, id);
create index audit_log_actor on audit_log (workspace_id, actor_id, id);
create index audit_log_target on audit_log (workspace_id, target_id, id);
create index audit_log_created on audit_log (workspace_id, created_at);

-- So that what belongs to a key or a workspace is found without reading the whole table.
create index key_origins_key on key_origins (workspace_id, key_id);
