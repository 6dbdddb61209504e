-- Messages by UTC hour, counted where their events enter the log.
create table message_stats (
  workspace_id uuid not null,
  hour timestamptz not null,
  inbound integer not null default 0,
  outbound integer not null default 0,
  failed integer not null default 0,
  primary key (workspace_id, hour)
) with (fillfactor = 50);
create index message_stats_hour on message_stats (hour);
