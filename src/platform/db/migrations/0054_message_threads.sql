-- The channel's ID of the thread within its chat that a message is in; null for none.
alter table messages add column thread_id text;
