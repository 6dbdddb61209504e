/** Begins what was claimed: each row is performed on its own, and however that ends is told. */
import type { Database } from '../../../platform/db/database.ts';
import type { ConnectionLease } from '../connections/connection-lease.ts';
import type { Claimed } from './claim.system-store.ts';
import type { ConnectionSlot } from './connection-slot.ts';
import { type FileAccess, loadReferred, outgoing, outgoingPicture } from './outgoing.ts';
import { type Outcome, release } from './outcome.ts';
import { perform, type ExecuteDeps } from './execute.ts';

/** What could not be read waits so long. */
const UNREAD_WAIT_MS = 1_000;

export interface DispatchDeps extends FileAccess {
  db: Database;
  log: ExecuteDeps['log'] & { warn(details: object, message: string): void };
  /** A message was answered for after it had been given up. */
  onLate: (held: ConnectionLease, row: Claimed, result: Parameters<ExecuteDeps['onLate']>[1]) => void;
  lanes: ReadonlyMap<string, ConnectionSlot>;
  conclude: (lane: ConnectionSlot, row: Claimed, outcome: Outcome) => void;
}

/** @returns what takes rows that were claimed for lanes that are there */
export function createDispatch(deps: DispatchDeps): (claimed: Claimed[]) => Promise<void> {
  const { db, log, lanes, conclude } = deps;
  return async (claimed) => {
    const found = claimed.flatMap((row) => {
      const lane = lanes.get(row.instance_id);
      return lane?.held.epoch === row.epoch ? [{ row, lane, held: lane.held }] : [];
    });
    for (const { row, lane } of found) lane.claimed.set(row.id, row);
    // What was claimed while its lane began to end is not begun.
    const given = found.filter(({ lane }) => !lane.ended);
    for (const { row, lane } of found) if (lane.ended) conclude(lane, row, release(row));
    for (const { row, lane } of given) {
      lane.pace.take();
      if (row.action === 'send' && row.chat_id !== null) lane.pace.sentTo(row.chat_id);
    }
    try {
      const referred = await loadReferred(db, given);
      for (const one of given) {
        const onLate: ExecuteDeps['onLate'] = (row, result) => deps.onLate(one.held, row, result);
        const make = {
          message: () => outgoing(one, referred, deps),
          picture: () => outgoingPicture(one, referred, deps),
        };
        void perform(one.row, one.held, make, { log, onLate }).then((outcome) =>
          conclude(one.lane, one.row, outcome),
        );
      }
    } catch (error) {
      log.warn({ err: error, rows: given.length }, 'what was claimed could not be read and was put back');
      for (const { row, lane } of given) conclude(lane, row, release(row, UNREAD_WAIT_MS));
    }
  };
}
