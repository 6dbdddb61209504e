/**
 * Keeps the caller of a stream connected while the model is silent: a comment every 15 s, which clients of server-sent
 * events ignore. Before the first one the response is opened with status 200, so that a later error is a frame of it.
 *
 * Invariant: a comment is written only where a frame can begin.
 */
import type { CallOutput } from '../contract/call-output.ts';

const INTERVAL_MS = 15_000;
const COMMENT = Buffer.from(': keep-alive\n\n');

export interface KeptOutput extends CallOutput {
  /** Whether comments opened the response, so that status and headers can no longer be set. */
  isKept(): boolean;
  /** Continues with comments in the next opened stream. @param isAtBoundary whether a frame can begin now */
  follow(isAtBoundary: () => boolean): void;
  /** Sends no more comments. */
  stop(): void;
}

/** @param headers of a response that comments open */
export function createKeepAlive(output: CallOutput, headers: Record<string, string>): KeptOutput {
  let state: 'waiting' | 'opening' | 'open' = 'waiting';
  /** The opening for comments. */
  let keeping: Promise<void> | null = null;
  let isWriting = false;
  let followed: (() => boolean) | null = null;
  let mayComment = (): boolean => true;

  const openWith = async (status: number, sent: Record<string, string | string[]>): Promise<void> => {
    state = 'opening';
    await output.open(status, sent);
    state = 'open';
  };
  const comment = async (): Promise<void> => {
    if (output.signal.aborted) return stop();
    if (isWriting || state === 'opening' || !mayComment()) return;
    isWriting = true;
    try {
      if (state === 'waiting') {
        keeping = openWith(200, { 'content-type': 'text/event-stream', ...headers });
        await keeping;
      }
      await output.write(COMMENT);
    } catch {
      // The caller may no longer call: the response gets the same error from `open`.
      stop();
    } finally {
      isWriting = false;
    }
  };
  const timer = setInterval(() => void comment(), INTERVAL_MS);
  timer.unref();
  const stop = (): void => clearInterval(timer);

  return {
    signal: output.signal,
    async open(status, given) {
      mayComment = followed ?? (() => false);
      await (keeping ?? openWith(status, given));
    },
    write(chunk) {
      timer.refresh();
      const taken = output.write(chunk);
      if (typeof taken === 'boolean') return taken;
      // A caller that doesn't read needs no comments.
      isWriting = true;
      return taken.finally(() => (isWriting = false));
    },
    end() {
      stop();
      output.end();
    },
    cut() {
      stop();
      output.cut();
    },
    isKept: () => keeping !== null,
    follow(isAtBoundary) {
      followed = isAtBoundary;
    },
    stop,
  };
}
