-- With the size, the newest updates of an instance up to a number of bytes are found in the index alone.
drop index unprocessed_updates_instance;
create index unprocessed_updates_instance on unprocessed_updates (workspace_id, instance_id, id) include (size);
