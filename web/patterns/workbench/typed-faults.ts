/** Keeps the errors of what was typed: a new form shows none about fields that are still blank. */
import type { Fault } from '../../api/problem.ts';

function valueAt(body: unknown, pointer: string): unknown {
  return pointer
    .split('/')
    .slice(1)
    .reduce<unknown>(
      (value, key) =>
        typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined,
      body,
    );
}

/** @param body the request that the errors are about */
export const typedFaults = (faults: readonly Fault[], body: unknown): Fault[] =>
  faults.filter(
    ({ code, pointer }) =>
      code !== 'required' && ![undefined, null, ''].includes(valueAt(body, pointer) as string),
  );
