-- The latest time that the database's clock has shown. When the clock shows an earlier one, it was set back, and what waits
-- for a time is moved with it (src/platform/db/clock-guard.ts).
create table database_clock (
  single boolean primary key default true check (single),
  seen_at timestamptz not null default now()
);
insert into database_clock default values;
