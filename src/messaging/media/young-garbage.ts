/**
 * Giving back what passing bytes leave behind. Each piece that a socket gives is a buffer of its own outside the heap;
 * V8 counts them, but looks for dead ones only when tens of megabytes have gathered, so that a transfer of 60 MB would
 * raise the process by nearly as much. A collection of young objects alone takes about a millisecond.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

type Collect = (options: { type: 'minor' }) => void;
let collect: Collect | undefined;

/** The engine's collector, which programs see only while this flag is set. */
function collector(): Collect {
  setFlagsFromString('--expose-gc');
  const found = runInNewContext('gc') as Collect;
  setFlagsFromString('--no-expose-gc');
  return found;
}

/** Frees the memory of buffers that were dropped lately. */
export function collectYoungGarbage(): void {
  (collect ??= collector())({ type: 'minor' });
}
