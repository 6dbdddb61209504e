/** Ends one session: the first reason wins, and messages being sent may complete if they still can. */
import { HoldingLost } from './connection-lease.ts';
import { type Ending, toDriverError } from './ending.ts';

export interface SessionEndDeps {
  /** Whether the connection is up: only then messages can be in flight. */
  isUp(): boolean;
  /** Reports an internal error. */
  onInternal(error: unknown): void;
}

export interface SessionEnd {
  /** Null until it ends. */
  readonly reason: Ending | null;
  /** Resolves with the reason. */
  readonly ended: Promise<Ending>;
  /** Aborts once nothing more may be sent. */
  readonly controller: AbortController;
  end(reason: Ending): void;
  /** Ends the session for an error. A lost holding is not reported as an error. */
  fail(error: unknown): void;
}

export function createSessionEnd({ isUp, onInternal }: SessionEndDeps): SessionEnd {
  const controller = new AbortController();
  const { promise: ended, resolve } = Promise.withResolvers<Ending>();
  let ending: Ending | null = null;

  const end = (reason: Ending): void => {
    if (ending) {
      // Draining is pointless: the connection belongs to another node, or is broken.
      if (reason.why === 'lost' || reason.why === 'fault') controller.abort();
      return;
    }
    ending = reason;
    // A connection that is closed on request may finish sending.
    if (!isUp() || reason.why === 'lost' || reason.why === 'fault') controller.abort();
    resolve(reason);
  };
  return {
    get reason() {
      return ending;
    },
    ended,
    controller,
    end,
    fail(error) {
      if (error instanceof HoldingLost) return end({ why: 'lost' });
      const fault = toDriverError(error);
      if (fault.code === 'internal') onInternal(error);
      end({ why: 'fault', error: fault });
    },
  };
}
