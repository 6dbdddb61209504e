/** Compares reported participants with the stored ones: who joined, left, or changed roles. */
import type { GroupRole } from '../../../channels/contract/connection.ts';
import type { GroupParticipantChange, GroupSignal } from '../../../channels/contract/signal.ts';
import { toInboundName } from '../records/inbound-content.ts';
import { channelKey } from '../records/channel-key.ts';
import { GROUP_ROLES } from './group-search-terms.ts';
import type { ParticipantRow } from '../records/participant.store.ts';

/** Maximum stored participants of a group. */
const MAX_PARTICIPANTS = 5_000;
const MAX_NAME = 200;

export interface ParticipantChange {
  action: 'added' | 'removed' | 'left' | 'banned' | 'promoted' | 'demoted';
  address: string;
  role: GroupRole | null;
}

export interface ParticipantDifference {
  /** Rows to write. */
  put: ParticipantRow[];
  /** Addresses of participants that left. */
  gone: string[];
  /** Changes to report; a changed name is not one. */
  changes: ParticipantChange[];
  /** Number of participants afterwards. */
  count: number;
}

type Told = NonNullable<GroupSignal['participants']>;
type Known = ReadonlyMap<string, ParticipantRow>;

const getRank = (role: GroupRole): number => GROUP_ROLES.indexOf(role);
const getRole = (role: GroupRole): GroupRole => (GROUP_ROLES.includes(role) ? role : 'member');

function getName(told: string | null | undefined, known: ParticipantRow | undefined): string | null {
  if (told === undefined) return known?.name ?? null;
  return (told && toInboundName(told).slice(0, MAX_NAME).toWellFormed().trim()) || null;
}

/** Returns the last report on each participant, by address; if there are too many, those with higher roles. */
function getReported(known: Known, details: Told): Map<string, GroupParticipantChange> {
  const list: readonly GroupParticipantChange[] =
    'all' in details
      ? details.all
          .toSorted((a, b) => getRank(getRole(a.role)) - getRank(getRole(b.role)))
          .slice(0, MAX_PARTICIPANTS)
      : details.changed;
  const found = new Map(list.map((one) => [channelKey(one.address), one]));
  if (!('all' in details)) return found;
  for (const address of known.keys()) if (!found.has(address)) found.set(address, { address, role: null });
  return found;
}

/** @param why reasons by address, for participants without a reported one */
export function getDifference(
  known: Known,
  details: Told,
  why: ReadonlyMap<string, 'removed' | 'banned'> = new Map(),
): ParticipantDifference {
  const put: ParticipantRow[] = [];
  const gone: string[] = [];
  const changes: ParticipantChange[] = [];
  let count = known.size;
  const found = getReported(known, details);
  // Those who leave make room.
  const goneFirst = [...found].toSorted(([, a], [, b]) => Number(a.role !== null) - Number(b.role !== null));
  for (const [address, one] of goneFirst) {
    const before = known.get(address);
    if (one.role === null) {
      if (!before) continue;
      gone.push(address);
      count--;
      changes.push({ action: one.gone ?? why.get(address) ?? 'left', address, role: null });
      continue;
    }
    const role = getRole(one.role);
    const name = getName(one.name, before);
    if (!before) {
      if (count >= MAX_PARTICIPANTS) continue;
      count++;
      changes.push({ action: 'added', address, role });
    } else if (before.role !== role)
      changes.push({
        action: getRank(role) < getRank(before.role) ? 'promoted' : 'demoted',
        address,
        role,
      });
    else if (before.name === name) continue;
    put.push({ address, role, name });
  }
  return { put, gone, changes, count };
}
