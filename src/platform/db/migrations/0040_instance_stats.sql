-- Messages of each instance by UTC hour, counted where their events enter the log. Failed ones are counted by error code;
-- the code of the others is empty.
create table instance_stats (
  workspace_id uuid not null,
  instance_id uuid not null,
  hour timestamptz not null,
  error_code text not null default '',
  inbound integer not null default 0,
  outbound integer not null default 0,
  failed integer not null default 0,
  primary key (workspace_id, instance_id, hour, error_code)
) with (fillfactor = 50);
create index instance_stats_hour on instance_stats (hour);
