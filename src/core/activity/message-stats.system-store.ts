/** Counts messages by hour as their events enter the log, in the same transaction: of a workspace and of each instance. */
import { sql } from 'kysely';
import type { Tx } from '../../platform/db/database.ts';
import { toUuid } from '../../platform/http/ids.ts';
import type { FanOut, Sequenced } from '../events/sequencer.system-store.ts';

const COUNTED: Readonly<Record<string, 'inbound' | 'outbound' | 'failed'>> = {
  'message.received': 'inbound',
  'message.sent': 'outbound',
  'message.failed': 'failed',
};

/** Characters kept of an error code, which comes from the channel. */
const MAX_CODE_LENGTH = 100;

interface Counts {
  workspace_id: string;
  hour: Date;
  /** Public ID; null if the event has none. */
  instance_id: string | null;
  /** Of failed messages; empty for others, and for failures without one. */
  error_code: string;
  inbound: number;
  outbound: number;
  failed: number;
}

/** Adds up the events of a batch. Their instance and error code are only in their data. */
async function addUp(tx: Tx, events: Sequenced[]): Promise<Counts[]> {
  const ids = events.map(({ id }) => id);
  const { rows } = await sql<Counts>`
    select c.workspace_id, date_trunc('hour', c.created_at, 'UTC') as hour,
           e.data #>> '{object,instance_id}' as instance_id,
           case c.counted_as when 'failed'
             then left(coalesce(e.data #>> '{object,error,code}', ''), ${sql.lit(MAX_CODE_LENGTH)}) else ''
           end as error_code,
           count(*) filter (where c.counted_as = 'inbound') as inbound,
           count(*) filter (where c.counted_as = 'outbound') as outbound,
           count(*) filter (where c.counted_as = 'failed') as failed
    from unnest(
      ${events.map((event) => event.workspace_id)}::uuid[], ${ids}::uuid[],
      ${events.map((event) => event.created_at)}::timestamptz[], ${events.map(({ type }) => COUNTED[type])}::text[]
    ) as c (workspace_id, event_id, created_at, counted_as)
    join events e on e.workspace_id = c.workspace_id and e.id = c.event_id
    where e.id = any (${ids}::uuid[])
    group by 1, 2, 3, 4
  `.execute(tx);
  return rows;
}

/**
 * Only one process at a time sequences the events of a workspace, so its rows are never contended. An instance that is
 * deleted is not counted: its rows are being erased.
 * @see sequencer.system-store.ts
 */
export const countMessages: FanOut = async (tx, events) => {
  const counted = events.filter(({ type }) => Object.hasOwn(COUNTED, type));
  if (!counted.length) return;
  const counts = await addUp(tx, counted);
  const column = (name: keyof Counts) => counts.map((row) => row[name]);
  await sql`
    with counted as (
      select * from unnest(
        ${column('workspace_id')}::uuid[], ${column('hour')}::timestamptz[],
        ${counts.map(({ instance_id: id }) => id && toUuid('instance', id))}::uuid[], ${column('error_code')}::text[],
        ${column('inbound')}::integer[], ${column('outbound')}::integer[], ${column('failed')}::integer[]
      ) as c (workspace_id, hour, instance_id, error_code, inbound, outbound, failed)
    ), of_workspaces as (
      insert into message_stats as s (workspace_id, hour, inbound, outbound, failed)
      select workspace_id, hour, sum(inbound), sum(outbound), sum(failed) from counted group by 1, 2 order by 1, 2
      on conflict (workspace_id, hour) do update set inbound = s.inbound + excluded.inbound,
        outbound = s.outbound + excluded.outbound, failed = s.failed + excluded.failed
    )
    insert into instance_stats as s (workspace_id, instance_id, hour, error_code, inbound, outbound, failed)
    select c.workspace_id, c.instance_id, c.hour, c.error_code, sum(c.inbound), sum(c.outbound), sum(c.failed)
    from counted c join instances i on i.workspace_id = c.workspace_id and i.id = c.instance_id
    group by 1, 2, 3, 4 order by 1, 2, 3, 4
    on conflict (workspace_id, instance_id, hour, error_code) do update set inbound = s.inbound + excluded.inbound,
      outbound = s.outbound + excluded.outbound, failed = s.failed + excluded.failed
  `.execute(tx);
};
