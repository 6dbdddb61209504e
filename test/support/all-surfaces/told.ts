/** What the log of events holds of a run, and by it how long things took that go on after an answer. */
import { publicId } from '../../../src/core/vocabulary/ids.ts';
import type { Took } from './arrivals.ts';
import type { Phase } from './ledger.ts';
import type { AllWorld } from './world.ts';

export interface Told {
  /** Public ID. */
  id: string;
  sequence: number;
  type: string;
  /** Public ID of what it tells of. */
  resource: string;
  /** ms since 1970. */
  at: number;
  title: string | null;
}

const AT_ONCE = 20_000;

/** All events of the workspace since the run began, in order. */
export async function getEvents({ pool, uuid, since }: AllWorld): Promise<Told[]> {
  const told: Told[] = [];
  for (let after = since; ;) {
    const { rows } = await pool.query<{
      id: string;
      sequence: string;
      type: string;
      resource_id: string;
      created_at: Date;
      title: string | null;
    }>(
      `select id, sequence, type, resource_id, created_at, data #>> '{object,title}' as title
       from events where workspace_id = $1 and sequence > $2 order by sequence limit ${AT_ONCE}`,
      [uuid, after],
    );
    for (const row of rows)
      told.push({
        id: publicId('event', row.id),
        sequence: Number(row.sequence),
        type: row.type,
        resource: row.resource_id,
        at: row.created_at.getTime(),
        title: row.title,
      });
    if (rows.length < AT_ONCE) return told;
    after = told.at(-1)!.sequence;
  }
}

/** What happens after the answer, and from when to when it is waited for. */
export const AFTERWARDS = {
  'message delivered': 'from its planned time to the event `message.delivered`',
  'publication published': 'from its planned time to the event `publication.published`',
  'change at the receiver': "from its planned time to its webhook's arrival",
  'change on a stream': 'from its planned time to its event on an open stream',
} as const;
export type Afterwards = keyof typeof AFTERWARDS;

/** Of a phase; of what never came there is none here (losses.ts counts it). */
export function getAfterwards(
  { ledger }: AllWorld,
  told: readonly Told[],
  phase: Phase,
): Record<Afterwards, Took[]> {
  const took: Record<Afterwards, Took[]> = {
    'message delivered': [],
    'publication published': [],
    'change at the receiver': [],
    'change on a stream': [],
  };
  const add = (what: Afterwards, from: number | undefined, to: number | undefined): void => {
    if (from !== undefined && to !== undefined) took[what].push({ planned: from, ended: to });
  };
  for (const { id, type, resource, at, title, sequence } of told) {
    if (type === 'message.delivered') add('message delivered', phase.messages.get(resource), at);
    if (type === 'publication.published') add('publication published', phase.publications.get(resource), at);
    if (type !== 'link.updated' || title === null) continue;
    const planned = phase.changes.get(title);
    add('change at the receiver', planned, ledger.arrived.get('/changes')?.get(id));
    add('change on a stream', planned, ledger.streamed.get(sequence));
  }
  return took;
}
