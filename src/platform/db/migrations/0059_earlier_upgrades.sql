-- Ends what 0026 and 0032 left to jobs, which this release no longer has. Only a database that still waited for them
-- is changed.

-- What inspectors recorded before 0026 may hold credentials, and webhooks and rules may hold their secret addresses:
-- with the inspectors, these addresses become worthless.
delete from inspector_requests where exists (select from inspector_cleanup);
delete from inspect_tokens where exists (select from inspector_cleanup);
delete from inspectors where exists (select from inspector_cleanup);
drop table inspector_cleanup;

insert into contact_words (workspace_id, word, contact_id)
select c.workspace_id, word, c.id
from contacts c, split_name(concat_ws(' ', c.name, c.profile_name, c.username)) word
where exists (select from contact_word_backfill)
on conflict do nothing;
drop table contact_word_backfill;
