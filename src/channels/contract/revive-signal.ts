/** Restores signals that were stored as JSON: turns `at` back into a Date. */
import type { Json } from './json.ts';
import type { Signal } from './signal.ts';

export function reviveSignal(stored: Json): Signal {
  const signal = stored as unknown as Signal & { at?: unknown };
  return typeof signal.at === 'string' ? ({ ...signal, at: new Date(signal.at) } as Signal) : signal;
}
