-- The keys that led to a key's creation, nearest first; empty where a person created it. Its calls count against the
-- rate limit of each, so that a limited key cannot raise its limit by creating more keys.
alter table api_keys add column ancestors uuid[] not null default '{}';
