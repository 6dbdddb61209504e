-- What lists of groups and of their participants walk.

create index groups_instance on groups (workspace_id, instance_id, id);

-- Groups that somebody is in, newest first.
drop index group_participants_address;
create index group_participants_address on group_participants (workspace_id, instance_id, address, group_id);
-- Owners, then admins, then members.
create index group_participants_order on group_participants (
  workspace_id, group_id, (case role when 'owner' then 0 when 'admin' then 1 else 2 end), (address collate "C")
);
