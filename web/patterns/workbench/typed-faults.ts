/** Which errors an editor shows: none about fields that are still blank, or were edited since they were sent. */
import { ApiProblem, type Fault } from '../../api/problem.ts';

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

/**
 * Keeps the errors that are about typed values.
 * @param body the request that the errors are about
 */
export const typedFaults = (faults: readonly Fault[], body: unknown): Fault[] =>
  faults.filter(
    ({ code, pointer }) =>
      code !== 'required' && ![undefined, null, ''].includes(valueAt(body, pointer) as string),
  );

/** If no recipient is given, any of its fields may be the one to fill in. */
const getPlace = (pointer: string): string => pointer.replace(/\/to$/, '');

/**
 * Keeps the errors of a rejected request whose fields are unchanged since.
 * @returns `problem`: null once all of its fields have been edited
 */
export function getStanding(
  problem: unknown,
  sent: unknown,
  now: unknown,
): { problem: unknown; faults: readonly Fault[] } {
  if (!(problem instanceof ApiProblem) || problem.faults.length === 0) return { problem, faults: [] };
  const at = (body: unknown, { pointer }: Fault) => JSON.stringify(valueAt(body, getPlace(pointer)));
  const faults = problem.faults.filter((fault) => at(sent, fault) === at(now, fault));
  return { problem: faults.length === 0 ? null : problem, faults };
}
