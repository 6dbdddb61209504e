/** Problems that requests about messages are rejected with. */
import type { Driver } from '../../../channels/contract/driver.ts';
import { type ErrorCode, ERRORS } from '../../../platform/http/errors.ts';
import { type FieldError, Problem } from '../../../platform/http/problem.ts';

/**
 * Creates the problem for well-formed but unacceptable values. Its code is the one that all field errors share, if the
 * error catalog has it; otherwise `unprocessable`.
 */
export function toFieldProblem(errors: FieldError[]): Problem {
  const codes = new Set(errors.map(({ code }) => code));
  const [only] = codes;
  const code: ErrorCode =
    codes.size === 1 && Object.hasOwn(ERRORS, only!) ? (only as ErrorCode) : 'unprocessable';
  return new Problem(code, errors.map(({ detail }) => detail).join('; '), { errors });
}

/** A body or query refers to an object that does not exist. */
export const noSuch = (what: string, pointer: string): Problem => {
  const detail = `There is no such ${what} in this workspace.`;
  return new Problem('not_found', detail, { errors: [{ pointer, code: 'not_found', detail }] });
};

export const disconnected = (state: string): Problem =>
  new Problem(
    'instance_disconnected',
    state === 'created'
      ? 'The instance was never connected. Connect it first.'
      : `The instance is ${state}. Connect it first.`,
  );

/** @param closedAt null if the other side has never written */
export const windowClosed = (closedAt: Date | null): Problem =>
  new Problem(
    'window_closed',
    closedAt === null
      ? 'The other side has not written yet. Only templates can be sent.'
      : `The reply window closed at ${closedAt.toISOString()}. Only templates can be sent until the other side writes again.`,
    { members: { window_closed_at: closedAt?.toISOString() ?? null } },
  );

/** Rejects a thread ID that the channel can't have. */
export const checkThread = (driver: Pick<Driver, 'isThreadId'>, threadId: string | null): FieldError[] =>
  threadId !== null && driver.isThreadId?.(threadId) === false
    ? [{ pointer: '/thread_id', code: 'invalid_value', detail: 'is not the ID of a thread' }]
    : [];
