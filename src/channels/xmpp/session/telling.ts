/**
 * Emits signals to the engine in order, one batch at a time, with the position that they move.
 *
 * Invariant: the stored position never runs ahead of the emitted signals.
 */
import type { DriverContext } from '../../contract/driver.ts';
import { DriverError } from '../../contract/driver-error.ts';
import type { Signal } from '../../contract/signal.ts';
import { readPosition, writePosition, type XmppPosition } from './position.ts';

export interface Telling {
  /** The stored position. */
  readonly position: Readonly<XmppPosition>;
  /**
   * @param move changes the position that is stored with the signals; if omitted, the position stays
   * @returns once everything is stored
   * @throws DriverError lost if the connection has ended, which is reported elsewhere
   */
  emit(signals: readonly Signal[], move?: (position: XmppPosition) => void): Promise<void>;
  /** Stops emitting; resolves when the running batch has ended. */
  stop(): Promise<void>;
}

const over = (): DriverError => new DriverError('lost', 'closed', 'The connection is closed.');

/** @param onFault called when the engine could not store a batch */
export function createTelling(
  context: Pick<DriverContext, 'emit' | 'position'>,
  onFault: (error: unknown) => void,
): Telling {
  let position = readPosition(context.position);
  let isStopped = false;
  let last: Promise<void> = Promise.resolve();

  return {
    get position() {
      return position;
    },
    emit(signals, move) {
      const turn = async (): Promise<void> => {
        if (isStopped) throw over();
        if (!move) return context.emit([...signals]);
        const next = structuredClone(position);
        move(next);
        await context.emit([...signals], writePosition(next));
        position = next;
      };
      const told = last.then(turn);
      last = told.catch((error: unknown) => {
        if (!isStopped) onFault(error);
        isStopped = true;
      });
      return told;
    },
    stop() {
      isStopped = true;
      return last;
    },
  };
}
