-- Names of messages of which a later message may take over: those that their writers choose. Others stay what they are.
alter table inbound_seen add column is_alias boolean not null default false;
