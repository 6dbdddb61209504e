/** Why and when one session ends: the first reason wins, and what is being sent may end unless that is of no use. */
import { HoldingLost } from './connection-lease.ts';
import { type Ending, toDriverError } from './ending.ts';

export interface SessionEndDeps {
  /** Whether the connection is up: only then something may be being sent. */
  isUp(): boolean;
  /** Reports a fault that is ours. */
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
  /** Ends it for an error, of which a lost holding is none. */
  fail(error: unknown): void;
}

export function createSessionEnd({ isUp, onInternal }: SessionEndDeps): SessionEnd {
  const controller = new AbortController();
  const { promise: ended, resolve } = Promise.withResolvers<Ending>();
  let ending: Ending | null = null;

  const end = (reason: Ending): void => {
    if (ending) {
      // What was about to be drained is somebody else's by now, or has no way out.
      if (reason.why === 'lost' || reason.why === 'fault') controller.abort();
      return;
    }
    ending = reason;
    // What is up and ends because somebody wants it to may finish what it is sending.
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
