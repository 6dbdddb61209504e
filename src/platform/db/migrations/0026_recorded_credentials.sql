-- Inspectors recorded the session cookie of whoever opened their address. Which sessions were recorded is not known for
-- certain, since a workspace can delete what its inspectors recorded: so all of them end, and everybody signs in again.

-- One row until no recorded request holds credentials; none where nothing can be recorded yet.
create table inspector_cleanup (
  singleton boolean primary key default true check (singleton),
  -- For the log.
  sessions_ended bigint not null,
  -- When the jobs that clean were enqueued.
  enqueued_at timestamptz
);

with ended as (delete from sessions where expires_at > now() returning id)
insert into inspector_cleanup (sessions_ended)
select count(*) from ended having count(*) > 0 or exists (select from inspectors);
