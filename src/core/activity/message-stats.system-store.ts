/** Counts messages by hour as their events enter the log, in the same transaction: of a workspace and of each instance. */
import { sql } from 'kysely';
import { toUuid } from '../vocabulary/ids.ts';
import { HOUR } from '../../platform/time/zone.ts';
import type { FanOut, Sequenced } from '../events/sequencer.system-store.ts';

const COUNTED: Readonly<Record<string, 'inbound' | 'outbound' | 'failed'>> = {
  'message.received': 'inbound',
  'message.sent': 'outbound',
  'message.failed': 'failed',
};

/** A receipt that is stored before the result of sending leaves out `message.sent`. */
const countedAs = ({ type, skips_sent: skipsSent }: Sequenced) => (skipsSent ? 'outbound' : COUNTED[type]);

interface Counts {
  workspaceId: string;
  hour: Date;
  /** Null if the event names none. */
  instanceId: string | null;
  /** Of failed messages; empty for others. */
  errorCode: string;
  inbound: number;
  outbound: number;
  failed: number;
}

function addUp(events: Sequenced[]): Counts[] {
  const groups = new Map<string, Counts>();
  for (const event of events) {
    const as = countedAs(event);
    if (as === undefined) continue;
    const { workspace_id: workspaceId, instance_id: instance } = event;
    const errorCode = event.error_code ?? '';
    const hour = Math.floor(event.created_at.getTime() / HOUR) * HOUR;
    const key = [workspaceId, hour, instance, errorCode].join(' ');
    let counts = groups.get(key);
    if (!counts) {
      const instanceId = instance && toUuid('instance', instance);
      const none = { inbound: 0, outbound: 0, failed: 0 };
      groups.set(key, (counts = { workspaceId, hour: new Date(hour), instanceId, errorCode, ...none }));
    }
    counts[as]++;
  }
  return [...groups.values()];
}

/**
 * Only one process at a time sequences the events of a workspace, so its rows are never contended. An instance that is
 * deleted is not counted: its rows are being erased.
 * @see sequencer.system-store.ts
 */
export const countMessages: FanOut = async (tx, events) => {
  const counts = addUp(events);
  if (!counts.length) return;
  const column = (name: keyof Counts) => counts.map((row) => row[name]);
  await sql`
    with counted as (
      select * from unnest(
        ${column('workspaceId')}::uuid[], ${column('hour')}::timestamptz[], ${column('instanceId')}::uuid[],
        ${column('errorCode')}::text[], ${column('inbound')}::integer[], ${column('outbound')}::integer[],
        ${column('failed')}::integer[]
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
