/** Starts claimed rows: each is executed on its own and completed with its outcome. */
import type { Database } from '../../../platform/db/database.ts';
import type { Log } from '../../../platform/logging/log.ts';
import type { ConnectionLease } from '../connections/connection-lease.ts';
import type { Claimed } from './claim.system-store.ts';
import type { ConnectionSlot } from './connection-slot.ts';
import { type FileAccess, loadReferred, outgoing, outgoingPicture } from './outgoing.ts';
import { type Outcome, release } from './outcome.ts';
import { executeTraced, loadSendTraces } from './send-spans.ts';
import { execute, type ExecuteDeps } from './execute.ts';

/** Delay of rows whose messages could not be loaded. */
const LOAD_RETRY_MS = 1_000;

export interface DispatchDeps extends FileAccess {
  db: Database;
  log: ExecuteDeps['log'] & Pick<Log, 'warn'>;
  /** The channel responded for a message after its time-out. */
  onLate: (held: ConnectionLease, row: Claimed, result: Parameters<ExecuteDeps['onLate']>[1]) => void;
  slots: ReadonlyMap<string, ConnectionSlot>;
  complete: (slot: ConnectionSlot, row: Claimed, outcome: Outcome) => void;
}

/** Returns the function that starts rows claimed for attached connections. */
export function createDispatch(deps: DispatchDeps): (claimed: Claimed[]) => Promise<void> {
  const { db, log, slots, complete } = deps;
  return async (claimed) => {
    const found = claimed.flatMap((row) => {
      const slot = slots.get(row.instance_id);
      return slot?.held.epoch === row.epoch ? [{ row, slot, held: slot.held }] : [];
    });
    for (const { row, slot } of found) slot.claimed.set(row.id, row);
    // Rows claimed while their connection began to drain are not started.
    const ready = found.filter(({ slot }) => !slot.onDrained);
    for (const { row, slot } of found) if (slot.onDrained) complete(slot, row, release(row));
    for (const { row, slot } of ready) {
      slot.pace.take();
      if (row.action === 'send' && row.chat_id !== null && row.chat)
        slot.pace.sentTo(row.chat_id, row.chat.kind);
    }
    try {
      const referred = await loadReferred(db, ready);
      const traces = await loadSendTraces(
        db,
        ready.map(({ row }) => row),
      );
      for (const one of ready) {
        const onLate: ExecuteDeps['onLate'] = (row, result) => deps.onLate(one.held, row, result);
        const make = {
          message: () => outgoing(one, referred, deps),
          picture: () => outgoingPicture(one, referred, deps),
        };
        void executeTraced(one.row, one.held.driver.channel, traces, () =>
          execute(one.row, one.held, make, { log, onLate }),
        ).then((outcome) => complete(one.slot, one.row, outcome));
      }
    } catch (error) {
      log.warn({ err: error, rows: ready.length }, 'send queue: could not load messages, releasing them');
      for (const { row, slot } of ready) complete(slot, row, release(row, LOAD_RETRY_MS));
    }
  };
}
