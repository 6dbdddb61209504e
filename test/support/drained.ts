/** Back-pressure of what tests and benchmarks send. */
import { once } from 'node:events';
import type { Writable } from 'node:stream';

/** Waits until a stream takes more or is closed, and leaves no listener behind. @throws its error */
export async function drained(stream: Writable): Promise<void> {
  const over = new AbortController();
  const { signal } = over;
  try {
    await Promise.race([once(stream, 'drain', { signal }), once(stream, 'close', { signal })]);
  } finally {
    over.abort();
  }
}
