-- Of a text that became several messages: those before `message_id`, in their order.
alter table publication_results add column earlier_message_ids uuid[];
