/** Refusals of what is well formed: all faults of it at once, under the code that they have in common. */
import { type ErrorCode, ERRORS } from '../../platform/http/errors.ts';
import { type FieldError, Problem } from '../../platform/http/problem.ts';

/** @param faults at least one. @returns a problem of their code, where they have one that is in the catalogue; else `unprocessable` */
export function refusalOf(faults: FieldError[]): Problem {
  const [only, ...others] = new Set(faults.map(({ code }) => code));
  const code: ErrorCode =
    others.length === 0 && Object.hasOwn(ERRORS, only!) ? (only as ErrorCode) : 'unprocessable';
  return new Problem(code, faults.map(({ pointer, detail }) => `${pointer}: ${detail}`).join('; '), {
    errors: faults,
  });
}
