/**
 * The details of an object in the audit log: its name at that time, and the changed values of an update.
 *
 * The object is read before the change by the operation that reads it. Only the fields in nouns.ts are recorded.
 */
import { Problem } from '../../platform/http/problem.ts';
import { getNoun } from '../vocabulary/nouns.ts';
import type { Answer, Context, Operation, OperationSpec } from './operation.ts';

type Shown = Record<string, unknown>;
export type Changes = Record<string, { before: unknown; after: unknown }>;

/** Reads the object of a call before it changes; null if there is none. */
export type ReadBefore = (context: Context<never, never>) => Promise<Shown | null>;

/** `/links/{id}/archive` → `/links/{id}`. */
const objectPath = (path: string): string | null => /^\/[^/]+\/\{id\}(?=\/|$)/.exec(path)?.[0] ?? null;

/**
 * Builds the reader for an operation.
 * @returns null if nothing is to be read: the operation creates objects, or the audit log holds only their IDs
 */
export function createReadBefore(spec: OperationSpec, operations: readonly Operation[]): ReadBefore | null {
  const path = objectPath(spec.path);
  if (path === null || !getNoun(spec.audit)?.audited) return null;
  const read = operations.find(
    (operation) =>
      operation.spec.method === 'GET' &&
      operation.spec.path === path &&
      operation.spec.success.schema !== undefined &&
      operation.spec.query === undefined,
  );
  if (!read) return null;
  return async (context) => {
    try {
      const answer = (await read.handler(context)) as Answer<Shown>;
      return answer.body;
    } catch (error) {
      // The operation itself rejects an object that it does not find.
      if (error instanceof Problem) return null;
      throw error;
    }
  };
}

/** Returns the object's name, as it was after the change, or before a deletion. */
export function getTargetName(
  spec: OperationSpec,
  before: Shown | null,
  after: Shown | undefined,
): string | null {
  const audited = getNoun(spec.audit)?.audited;
  if (!audited) return null;
  const name = after?.[audited.name] ?? before?.[audited.name];
  return typeof name === 'string' ? name : null;
}

/** Returns the recorded fields whose values differ; null unless the call is an update. */
export function getChanges(
  spec: OperationSpec,
  before: Shown | null,
  after: Shown | undefined,
): Changes | null {
  if (spec.method !== 'PATCH' || before === null || after === undefined) return null;
  const { fields } = getNoun(spec.audit)!.audited!;
  const differing = fields.filter((field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]));
  return Object.fromEntries(
    differing.map((field) => [field, { before: before[field] ?? null, after: after[field] ?? null }]),
  );
}
