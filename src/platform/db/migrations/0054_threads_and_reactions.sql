-- The channel's ID of the thread within its chat that a message is in; null for none.
alter table messages add column thread_id text;

-- Further reactions of the same author, on channels where one may set several.
alter table message_reactions add column others text[] not null default '{}';
