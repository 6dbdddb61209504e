/** Builds the error for well-formed but unacceptable requests: all field errors under their common code. */
import { type ErrorCode, ERRORS } from '../../../platform/http/errors.ts';
import { type FieldError, Problem } from '../../../platform/http/problem.ts';

/**
 * Builds the problem.
 * @param fieldErrors at least one
 * @returns a problem with the common code if it is in the catalog; otherwise `unprocessable`
 */
export function getRejection(fieldErrors: FieldError[]): Problem {
  const [only, ...others] = new Set(fieldErrors.map(({ code }) => code));
  const code: ErrorCode =
    others.length === 0 && Object.hasOwn(ERRORS, only!) ? (only as ErrorCode) : 'unprocessable';
  return new Problem(code, fieldErrors.map(({ pointer, detail }) => `${pointer}: ${detail}`).join('; '), {
    errors: fieldErrors,
  });
}
