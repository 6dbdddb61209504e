-- Whether a message is pinned in its chat. The constant default rewrites no row.
alter table messages add column pinned boolean not null default false;

alter table send_queue drop constraint send_queue_action_check;
alter table send_queue add constraint send_queue_action_check
  check (action in ('send', 'edit', 'revoke', 'react', 'pin', 'unpin', 'read', 'block', 'unblock', 'check', 'group'));
