-- An address may be another name of one: the channel says that both are the same person's. Null: it stands for itself.
alter table contact_identities add column alias_of text;
create index contact_identities_alias on contact_identities (workspace_id, instance_id, alias_of) where alias_of is not null;
-- What a person is called by at the channel, where that is no address and may change hands.
alter table contacts add column username text;
