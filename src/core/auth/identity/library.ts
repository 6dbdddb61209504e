/**
 * better-auth, for identity only: email and password, sessions, resets. Its router is never mounted: each of our routes
 * calls one function of its API, so that only the functions listed in identity.routes.ts can be reached, and its own
 * limits, origin checks and error pages are replaced by ours. It is loaded at the first call, so that the start doesn't
 * wait for it.
 */
import type { Database } from '../../../platform/db/database.ts';
import { invalid, Problem } from '../../../platform/http/problem.ts';
import { type CallScope, runInCall } from './call-scope.ts';
import { IP_HEADER, type LibraryDeps, libraryOptions } from './library-options.ts';
import { createCookieRenewal } from '../session-cookie.ts';

const MAX_USER_AGENT = 300;

/** The parts of a request that the library receives. */
export interface Caller {
  ip: string;
  userAgent: string | undefined;
  cookie: string | undefined;
  /** Whether the request names its origin (Origin or Sec-Fetch-Site), as browsers do. */
  tellsOrigin: boolean;
  /** Aborts when the caller leaves, so that no more passwords are hashed for it. */
  signal?: AbortSignal;
}

async function load(db: Database, deps: LibraryDeps) {
  const [{ betterAuth }, { createLibraryAdapter }] = await Promise.all([
    import('better-auth/minimal'),
    import('./library-adapter.ts'),
  ]);
  return betterAuth({ ...libraryOptions(deps), database: createLibraryAdapter(db) });
}

type Api = Awaited<ReturnType<typeof load>>['api'];

export const wrongPassword = () =>
  new Problem('wrong_password', 'The current password is wrong.', {
    errors: [{ pointer: '/current_password', code: 'wrong_password', detail: 'is not your password' }],
  });

const NOT_SIGNED_IN = () => new Problem('not_signed_in', 'You are not signed in, or the session has ended.');

const invalidEmail = () =>
  invalid([{ pointer: '/email', code: 'invalid_email', detail: 'must be an email address' }]);

/** Maps the library's error codes to problems. Other codes are internal errors. */
const PROBLEMS: Record<string, () => Problem> = {
  INVALID_EMAIL_OR_PASSWORD: () => new Problem('invalid_credentials', 'The email or password is incorrect.'),
  INVALID_PASSWORD: wrongPassword,
  USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL: () =>
    new Problem('email_taken', 'A user with this email already exists. Sign in instead.', {
      errors: [{ pointer: '/email', code: 'email_taken', detail: 'is already in use' }],
    }),
  INVALID_EMAIL: invalidEmail,
  INVALID_TOKEN: () =>
    new Problem(
      'reset_token_invalid',
      'The link was already used, has expired, or is incomplete. Request a new one.',
    ),
  UNAUTHORIZED: NOT_SIGNED_IN,
  FAILED_TO_GET_SESSION: NOT_SIGNED_IN,
};

function translated(error: unknown): unknown {
  const { name, message = '', body } = error as { name?: string; message?: string; body?: { code?: string } };
  const known = name === 'APIError' && body?.code ? PROBLEMS[body.code] : undefined;
  if (known) return known();
  // The library is stricter about addresses than the format that ours are checked by.
  if (name === 'APIError' && /invalid email/i.test(message)) return invalidEmail();
  return error;
}

function toHeaders({ ip, userAgent, cookie }: Caller, renewed: (cookie: string) => string): Headers {
  const headers = new Headers({ [IP_HEADER]: ip });
  if (cookie) headers.set('cookie', renewed(cookie));
  if (userAgent) headers.set('user-agent', userAgent.slice(0, MAX_USER_AGENT));
  return headers;
}

export interface LibraryAnswer<T> {
  response: T;
  /** Values for Set-Cookie, one each. */
  cookies: string[];
}

export interface Library {
  /**
   * Calls one function of the library.
   * @throws Problem for its rejections; the database error if that was the cause
   */
  call<T>(
    caller: Caller,
    scope: Partial<CallScope>,
    work: (api: Api, headers: Headers) => Promise<{ headers: Headers; response: T }>,
  ): Promise<LibraryAnswer<T>>;
}

export function createLibrary(db: Database, deps: LibraryDeps): Library {
  let loading: Promise<{ api: Api }> | null = null;
  const renewed = createCookieRenewal(deps.config, deps.secrets);
  return {
    async call(caller, given, work) {
      loading ??= load(db, deps).catch((error: unknown) => {
        loading = null;
        throw error;
      });
      const { api } = await loading;
      return runInCall({ signal: caller.signal ?? null, ...given }, async (scope) => {
        const { headers, response } = await work(api, toHeaders(caller, renewed)).catch((error: unknown) => {
          throw scope.fault ?? translated(error);
        });
        if (scope.fault) throw scope.fault;
        return { response, cookies: headers.getSetCookie() };
      });
    },
  };
}
