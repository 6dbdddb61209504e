-- Finishes what earlier versions left to jobs that this version doesn't have. Nothing changes where they had finished.

-- What inspectors recorded before 0026 may contain credentials.
delete from inspector_requests where exists (select from inspector_cleanup);
drop table inspector_cleanup;

-- Replaces all words, since names may have changed after the first of two passes.
delete from contact_words where exists (select from contact_word_backfill);
insert into contact_words (workspace_id, word, contact_id)
select c.workspace_id, word, c.id
from contacts c, split_name(concat_ws(' ', c.name, c.profile_name, c.username)) word
where exists (select from contact_word_backfill);
drop table contact_word_backfill;

-- Erasures of contacts become rows that `contacts.forget` finishes. Jobs of the other two queues would be due forever.
do $$
begin
  if to_regclass('pgboss.job') is null then return; end if;
  insert into contact_erasures (workspace_id, id, contact_ids, chat_ids, identities, event_id, created_at)
  select (data ->> 'workspaceId')::uuid, id,
    array(select jsonb_array_elements_text(coalesce(data -> 'contactIds', '[]')))::uuid[],
    array(select jsonb_array_elements_text(coalesce(data -> 'chatIds', '[]')))::uuid[],
    coalesce(data -> 'identities', '[]'), id, created_on
  from pgboss.job where name = 'contacts.erase' and state not in ('completed', 'cancelled');
  delete from pgboss.job where name in ('contacts.erase', 'contacts.words', 'inspectors.clean');
end $$;
