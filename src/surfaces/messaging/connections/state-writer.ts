/**
 * Stores state changes of connections: the instance's state with its event, and the connection's row, in one
 * transaction under the fence. Changes during a transaction share the next one, so a thousand connections that open
 * together take some tens of transactions.
 *
 * A transition that the user has overtaken (disconnected, restarted, changed) changes no state. While the database is
 * unreachable, a transition waits as long as the node's lease allows.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { isConnectionError } from '../../../platform/db/database.ts';
import type { Units } from '../../../core/unit/unit-of-work.ts';
import type { Drivers } from '../../../channels/contract/driver-registry.ts';
import { changeInstance, moveInstance } from '../instances/instance-change.ts';
import type { InstanceChange } from '../instances/instance.store.ts';
import type { InstanceState } from '../instances/instance-state.ts';
import * as store from './connection.system-store.ts';
import type { Fenced } from './fence.ts';

const MAX_AT_ONCE = 100;
const AGAIN_MS = 250;

type Change = Omit<InstanceChange, 'state' | 'state_reason' | 'state_changed_at'>;

export interface Move {
  holding: Fenced & { workspaceId: string };
  /** Whether the node still has its lease; otherwise a retry is pointless. */
  isOurs: () => boolean;
  /** Null if only the row and the columns of `change` are updated. */
  to: { state: InstanceState; reason: string | null } | null;
  /** @param from current state of the instance */
  change?: (from: InstanceState, now: Date) => Change;
  row?: Omit<store.RowChange, 'instanceId'>;
  /** Applies even if the user has changed the desired state. */
  inAnyCase?: boolean;
}

/**
 * `superseded`: the user has changed the desired state since it was acquired. `lost`: it no longer belongs to this
 * node.
 */
export type Outcome = { kind: 'done' } | { kind: 'superseded'; logsOut: boolean } | { kind: 'lost' };

export interface StateWriter {
  /** Writes a transition. Those of one instance are written in the order of the calls. */
  write(move: Move): Promise<Outcome>;
}

interface Waiting {
  move: Move;
  resolve: (outcome: Outcome) => void;
  reject: (error: unknown) => void;
}

export function createStateWriter({ units, drivers }: { units: Units; drivers: Drivers }): StateWriter {
  let waiting: Waiting[] = [];
  let running = false;

  const perform = (moves: readonly Move[]): Promise<Outcome[]> =>
    units.write(async (unit) => {
      const tx = unit.db;
      const now = unit.clock();
      const instances = await store.lockInstances(
        tx,
        moves.map(({ holding }) => holding),
      );
      const locked = await store.lockHeld(
        tx,
        moves.map(({ holding }) => holding),
      );
      const rows: store.RowChange[] = [];
      const outcomes: Outcome[] = [];
      for (const { holding, to, change, row, inAnyCase } of moves) {
        const { instanceId } = holding;
        const before = instances.get(instanceId);
        const own = locked.get(instanceId);
        if (!before || !own) {
          outcomes.push({ kind: 'lost' });
        } else if (!inAnyCase && (!own.wanted || !own.current)) {
          if (row?.releases)
            rows.push({
              instanceId,
              releases: true,
              dueInMs: 0,
              failures: 0,
              failingSince: null,
              wanted: own.wanted,
              endsLogout: row.endsLogout,
            });
          outcomes.push({ kind: 'superseded', logsOut: own.logs_out });
        } else {
          const changed = change?.(before.state as InstanceState, now) ?? {};
          if (to) await moveInstance(unit, drivers, before, to.state, to.reason, changed);
          else if (Object.keys(changed).length) await changeInstance(unit, drivers, before, changed);
          if (row) rows.push({ instanceId, ...row });
          outcomes.push({ kind: 'done' });
        }
      }
      await store.changeRows(tx, rows);
      return outcomes;
    });

  const flush = async (batch: Waiting[]): Promise<void> => {
    try {
      const outcomes = await perform(batch.map(({ move }) => move));
      for (const [index, { resolve }] of batch.entries()) resolve(outcomes[index]!);
    } catch (error) {
      if (isConnectionError(error)) {
        const [kept, given]: [Waiting[], Waiting[]] = [[], []];
        for (const one of batch) (one.move.isOurs() ? kept : given).push(one);
        for (const { reject } of given) reject(error);
        waiting.unshift(...kept);
        await delay(AGAIN_MS);
      } else if (batch.length === 1) {
        batch[0]!.reject(error);
      } else {
        // One that can't be written must not block the others.
        for (const one of batch) await flush([one]);
      }
    }
  };

  /** The first transition of each instance, up to the batch size. */
  const take = (): Waiting[] => {
    const taken: Waiting[] = [];
    const seen = new Set<string>();
    waiting = waiting.filter((one) => {
      const id = one.move.holding.instanceId;
      if (seen.has(id) || taken.length >= MAX_AT_ONCE) return true;
      seen.add(id);
      taken.push(one);
      return false;
    });
    return taken;
  };

  const run = async (): Promise<void> => {
    if (running) return;
    running = true;
    // Transitions requested in the same tick are written together.
    await new Promise(setImmediate);
    while (waiting.length) await flush(take());
    running = false;
  };

  return {
    write: (move) =>
      new Promise((resolve, reject) => {
        waiting.push({ move, resolve, reject });
        void run();
      }),
  };
}
