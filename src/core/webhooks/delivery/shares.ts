/**
 * How the slots of a process are shared, max-min: among persons, then the workspaces of each, then their webhooks. A
 * slot is held until the receiver responds, so the first persons could hold all of them; a part is therefore reserved
 * for persons that hold few.
 */
import { divideMaxMin } from '../../../platform/limits/max-min.ts';

/** From the widest to the narrowest. */
const LEVELS = ['person', 'workspace_id', 'receiver_id'] as const;
type Level = (typeof LEVELS)[number];

/** The owner of a slot. */
export interface Holder {
  /** The workspace's first owner, or the workspace. */
  person: string;
  workspace_id: string;
  receiver_id: string;
}

export interface Candidate extends Holder {
  /** Most that the receiver may get now. */
  wanted: number;
}

/** Slots that a person may take of those kept for persons that hold few. */
const FEW = 8;
/** Part of the reserve that only the first slots of persons may take: few persons fill the rest. */
const KEPT_FOR_FIRST = 1 / 2;

export interface Slots {
  free: number;
  /** How many of the free ones are only for persons that hold few. */
  reserved: number;
  /** How many each holds in this process. */
  held: Record<Level, ReadonlyMap<string, number>>;
}

/** Counts held slots. @param free and @param reserved as in `Slots` */
export function countSlots(free: number, reserved: number, sending: Iterable<Holder>): Slots {
  const held = { person: new Map(), workspace_id: new Map(), receiver_id: new Map() } satisfies Record<
    Level,
    Map<string, number>
  >;
  for (const holder of sending)
    for (const level of LEVELS) {
      const counts: Map<string, number> = held[level];
      counts.set(holder[level], (counts.get(holder[level]) ?? 0) + 1);
    }
  return { free, reserved, held };
}

/** Whether any slot is free that is not reserved. */
export const hasUnreserved = ({ free, reserved }: Slots): boolean => free > reserved;

const getKept = ({ reserved }: Slots): number => Math.ceil(reserved * KEPT_FOR_FIRST);

/**
 * Returns persons with many slots, whose receivers must not hide those of others: persons without a claim to the
 * reserve, or, while more than that is free, those that hold at least half as many slots as the one with the most.
 */
export function personsWithMany(slots: Slots): string[] {
  const counts = [...slots.held.person];
  const most = Math.max(0, ...counts.map(([, count]) => count));
  const few = slots.free > getKept(slots) ? FEW : 1;
  const many = hasUnreserved(slots) ? Math.max(FEW, most / 2) : few;
  return counts.flatMap(([person, count]) => (count >= many ? [person] : []));
}

/** @returns receiver → how many it gets now, where any */
export function divideSlots(slots: Slots, candidates: readonly Candidate[]): Map<string, number> {
  const given = new Map<string, number>();
  const toGroups = (level: Level, members: readonly Candidate[]) =>
    [...Map.groupBy(members, (one) => one[level])].map(([key, group]) => ({
      key,
      group,
      held: slots.held[level].get(key) ?? 0,
      wanted: group.reduce((sum, { wanted }) => sum + wanted, 0),
    }));
  const divide = (free: number, members: readonly Candidate[], [level, ...below]: Level[]): void => {
    const groups = toGroups(level!, members);
    const amounts = divideMaxMin(free, groups);
    for (const [n, { key, group }] of groups.entries()) {
      const amount = amounts[n]!;
      if (amount === 0) continue;
      if (below.length) divide(amount, group, below);
      else given.set(key, amount);
    }
  };
  const [level, ...below] = LEVELS;
  const persons = toGroups(level, candidates);
  const first = divideMaxMin(
    slots.free,
    persons.map(({ held, wanted }) => ({ held, wanted: held === 0 ? Math.min(wanted, 1) : 0 })),
  );
  const sum = (amounts: readonly number[]): number => amounts.reduce((total, amount) => total + amount, 0);
  const few = divideMaxMin(
    Math.max(0, slots.free - getKept(slots) - sum(first)),
    persons.map(({ held, wanted }, n) => ({
      held: held + first[n]!,
      wanted: Math.min(wanted - first[n]!, Math.max(0, FEW - held - first[n]!)),
    })),
  ).map((amount, n) => amount + first[n]!);
  const unreserved = slots.free - slots.reserved - sum(few);
  const more = divideMaxMin(
    Math.max(0, unreserved),
    persons.map(({ held, wanted }, n) => ({ held: held + few[n]!, wanted: wanted - few[n]! })),
  );
  for (const [n, { group }] of persons.entries()) divide(few[n]! + more[n]!, group, below);
  return given;
}
