-- Bytes of media in each workspace, for its limit and its usage: the sum over its rows here. They change in the
-- transactions that write and delete media. A transaction takes any row that no other one holds, and adds one where all
-- are held: none waits for another, and there are about as many rows as ever wrote at the same moment.
create table media_bytes (
  workspace_id uuid not null,
  id uuid not null default gen_random_uuid(),
  bytes bigint not null,
  primary key (workspace_id, id)
) with (fillfactor = 50);

-- What servers of earlier versions write from now on is added every night (media-bytes.system-store.ts).
insert into media_bytes (workspace_id, bytes)
select workspace_id, sum(size) from media where size is not null group by workspace_id;
