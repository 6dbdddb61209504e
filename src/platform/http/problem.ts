/**
 * RFC 9457 problem answers. Services throw `Problem`; whatever else is thrown becomes `internal_error` or
 * `unavailable`, and nothing of it is shown to the caller.
 */
import { isConnectionError, isDiskFull, isLockTimeout, isReadOnly } from '../db/database.ts';
import { type ErrorCode, ERRORS } from './errors.ts';

/** One fault of a request. `pointer` is a JSON pointer into the body, or `?name` for a query parameter, or a header's name. */
export interface FieldError {
  pointer: string;
  code: string;
  detail: string;
  /** A value that would be accepted, where the server knows one. */
  suggestion?: string;
}

/** A member's name as a part of a JSON pointer (RFC 6901). */
export const escapePointer = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');

export interface ProblemOptions {
  errors?: FieldError[];
  /** Extension members of RFC 9457. Each one is described in `PROBLEM_SCHEMA`. */
  members?: Record<string, string | null>;
  headers?: Record<string, string>;
  /** Replaces the status of the code: an error of another server keeps its status. */
  status?: number;
}

export class Problem extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly errors: FieldError[];
  readonly members: Record<string, string | null>;
  readonly headers: Record<string, string>;

  constructor(code: ErrorCode, detail: string, options: ProblemOptions = {}) {
    super(detail);
    this.name = 'Problem';
    this.code = code;
    this.status = options.status ?? ERRORS[code].status;
    this.errors = options.errors ?? [];
    this.members = options.members ?? {};
    this.headers = options.headers ?? {};
  }
}

/** Returns the RFC 9457 body with the problem's extension members. `errors` is omitted when empty. */
export function problemBody(problem: Problem, requestId: string, baseUrl: string) {
  return {
    type: `${baseUrl}/docs/errors#${problem.code}`,
    title: ERRORS[problem.code].title,
    status: problem.status,
    code: problem.code as string,
    detail: problem.message,
    request_id: requestId,
    ...(problem.errors.length ? { errors: problem.errors } : {}),
    ...problem.members,
  };
}

/** The path without its query. It may hold a token, so it is not logged. */
export const getPath = ({ url }: { url: string }): string => url.split('?', 1)[0]!;

export const nothingAt = (request: { url: string }): Problem =>
  new Problem('not_found', `There is nothing at ${getPath(request).slice(0, 200)}.`);

export const notFound = (what: string): Problem =>
  new Problem('not_found', `There is no such ${what} in this workspace.`);

/** Field errors that a service found in the shape of a request, reported together. */
export const invalid = (errors: FieldError[]): Problem =>
  new Problem(
    'invalid_request',
    errors.length === 1 ? '1 field is wrong' : `${errors.length} fields are wrong`,
    { errors },
  );

/** Bytes of a body, unless a route says otherwise. */
export const BODY_LIMIT = 1024 * 1024;

const FASTIFY_CODES: Record<string, (message: string, bodyLimit: number) => Problem> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () =>
    new Problem('unsupported_media_type', 'Send the body as application/json.'),
  FST_ERR_CTP_BODY_TOO_LARGE: (_message, bodyLimit) =>
    new Problem('payload_too_large', `The body must have at most ${bodyLimit} bytes.`),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: (message) => new Problem('invalid_request', message),
  FST_ERR_CTP_INVALID_JSON_BODY: () => new Problem('invalid_json', 'The body is not valid JSON.'),
  FST_ERR_MAX_PARAM_LENGTH: () => new Problem('not_found', 'The path is too long.'),
  FST_ERR_BAD_URL: () => new Problem('not_found', 'The path cannot be decoded.'),
  FST_ERR_ASYNC_CONSTRAINT: () => new Problem('not_found', 'There is nothing at this address.'),
};

/** Returns a Problem, so that a batch can report it for one item and go on. @throws any other error */
export function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  throw error;
}

/**
 * Turns anything thrown into a Problem. `unexpected` is true where the log must have the original.
 * @param bodyLimit bytes that the route reads of a body
 */
export function toProblem(error: unknown, bodyLimit = BODY_LIMIT): { problem: Problem; unexpected: boolean } {
  if (error instanceof Problem) return { problem: error, unexpected: false };
  const { code = '', statusCode } = error as { code?: string; statusCode?: number };
  // Fastify gives this status to what happens while a body is read: the caller left in the middle of it.
  if (code === 'ECONNRESET' && statusCode === 400)
    return { problem: new Problem('invalid_request', 'The body ended early.'), unexpected: false };
  const known = FASTIFY_CODES[code];
  if (known) return { problem: known((error as Error).message, bodyLimit), unexpected: false };
  if (isConnectionError(error)) {
    const problem = new Problem('unavailable', 'The database cannot be reached.', {
      headers: { 'retry-after': '1' },
    });
    return { problem, unexpected: true };
  }
  if (isDiskFull(error)) {
    const detail = 'The disk of the database is full. Its operator has to make room.';
    return {
      problem: new Problem('storage_full', detail, { headers: { 'retry-after': '60' } }),
      unexpected: true,
    };
  }
  if (isReadOnly(error)) {
    const problem = new Problem(
      'read_only',
      'The database does not accept writes at the moment, for example because it is being moved. Reads still work. Try again.',
      {
        headers: { 'retry-after': '5' },
      },
    );
    return { problem, unexpected: false };
  }
  if (isLockTimeout(error)) {
    const detail =
      'Another request has what this one needs locked for too long. Nothing was changed; try again.';
    return {
      problem: new Problem('unavailable', detail, { headers: { 'retry-after': '2' } }),
      unexpected: true,
    };
  }
  if (statusCode === 400 && error instanceof SyntaxError)
    return {
      problem: new Problem('invalid_json', `The body is not valid JSON: ${error.message}`),
      unexpected: false,
    };
  return { problem: new Problem('internal_error', 'The request could not be completed.'), unexpected: true };
}
