/** Counts messages by hour as their events enter the log, in the same transaction. */
import { sql } from 'kysely';
import type { FanOut } from '../events/sequencer.system-store.ts';

const COUNTED: Readonly<Record<string, 'inbound' | 'outbound' | 'failed'>> = {
  'message.received': 'inbound',
  'message.sent': 'outbound',
  'message.failed': 'failed',
};

/**
 * Only one process at a time sequences the events of a workspace, so its rows are never contended.
 * @see sequencer.system-store.ts
 */
export const countMessages: FanOut = async (tx, events) => {
  const counted = events.filter(({ type }) => Object.hasOwn(COUNTED, type));
  if (!counted.length) return;
  await sql`
    insert into message_stats as s (workspace_id, hour, inbound, outbound, failed)
    select e.workspace_id, date_trunc('hour', e.created_at, 'UTC'), count(*) filter (where e.counted_as = 'inbound'),
           count(*) filter (where e.counted_as = 'outbound'), count(*) filter (where e.counted_as = 'failed')
    from unnest(
      ${counted.map((event) => event.workspace_id)}::uuid[], ${counted.map((event) => event.created_at)}::timestamptz[],
      ${counted.map(({ type }) => COUNTED[type])}::text[]
    ) as e (workspace_id, created_at, counted_as)
    group by 1, 2 order by 1, 2
    on conflict (workspace_id, hour) do update set inbound = s.inbound + excluded.inbound,
      outbound = s.outbound + excluded.outbound, failed = s.failed + excluded.failed
  `.execute(tx);
};
