-- The words of contacts' names, by which contacts are searched. An index on `contacts` could not be built here without
-- blocking writers, so words are a table of their own, and a job adds those of contacts that exist already.
create table contact_words (
  workspace_id uuid not null,
  word text collate "C" not null,
  contact_id uuid not null,
  primary key (workspace_id, word, contact_id)
);
create index contact_words_contact on contact_words (workspace_id, contact_id);

-- Splits a name into distinct lower-case words, at spaces and at ASCII punctuation, whatever the database's locale.
create function split_name(name text) returns setof text language sql immutable parallel safe as $$
  select distinct left(word, 100)
  from regexp_split_to_table(lower(normalize(name, NFKC)), $r$[][:space:]!"#$%&'()*+,./:;<=>?@\\^_`{|}~[-]+$r$) word
  where word <> ''
$$;

-- One row until the words of all contacts are stored.
create table contact_word_backfill (
  singleton boolean primary key default true check (singleton),
  -- When the jobs were enqueued.
  enqueued_at timestamptz
);
insert into contact_word_backfill (singleton) select true where exists (select from contacts);
