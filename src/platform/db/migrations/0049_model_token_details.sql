-- Parts of the tokens of a call that its provider tells apart; null for none, so that most rows take no more bytes.
alter table model_calls
  add column cache_write_tokens integer,
  add column cache_write_1h_tokens integer,
  add column reasoning_tokens integer,
  add column audio_tokens integer,
  add column image_tokens integer;

-- The constant default rewrites no row.
alter table model_call_stats
  add column cache_write_tokens bigint not null default 0,
  add column cache_write_1h_tokens bigint not null default 0,
  add column reasoning_tokens bigint not null default 0,
  add column audio_tokens bigint not null default 0,
  add column image_tokens bigint not null default 0;
