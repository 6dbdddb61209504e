-- Who holds tokens that were drawn and may still be spent: node → [tokens, when drawn (seconds since 1970)]. One sum
-- for all nodes could not tell those of a node that died from those of one that lives.
alter table rate_buckets drop column held;
alter table rate_buckets add column holds jsonb not null default '{}';
