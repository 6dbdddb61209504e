/**
 * /api/auth: lists all available routes. Other features of the library respond with 404. Bodies are JSON of at most 64
 * KiB; writes must come from our own pages (own-origin.ts). Responses must not be cached.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Static, TSchema } from 'typebox';
import type { Config } from '../../../platform/config/config.ts';
import { callerAddress } from '../../../platform/http/caller-address.ts';
import { watchConnection } from '../../../platform/http/caller-left.ts';
import { publicId } from '../../vocabulary/ids.ts';
import { toCompleteList } from '../../../platform/http/pagination.ts';
import { Problem } from '../../../platform/http/problem.ts';
import { compileValidator } from '../../../platform/http/validation.ts';
import * as Schema from './identity.schema.ts';
import type { Caller } from './library.ts';
import { requireOwnOrigin } from './own-origin.ts';
import type { createPasswords } from './password.service.ts';
import { type createSignIn, presentUser } from './sign-in.service.ts';
import type { createSignUp } from './sign-up.service.ts';

const BODY_LIMIT = 64 * 1024;
const PREFIX = '/api/auth';

export interface IdentityServices {
  config: Config;
  signUp: ReturnType<typeof createSignUp>;
  signIn: ReturnType<typeof createSignIn>;
  passwords: ReturnType<typeof createPasswords>;
}

interface Route {
  method: 'GET' | 'POST';
  path: string;
  body?: TSchema;
  answer: TSchema;
  handle: (caller: Caller, body: never, reply: FastifyReply) => unknown;
}

/** Joins a route with the type of its body. */
function route<B extends TSchema>(
  method: Route['method'],
  path: string,
  body: B | undefined,
  answer: TSchema,
  handle: (caller: Caller, body: Static<B>, reply: FastifyReply) => unknown,
): Route {
  return { method, path, body, answer, handle };
}

const getCaller = (request: FastifyRequest, reply: FastifyReply): Caller => ({
  ip: callerAddress(request),
  userAgent: request.headers['user-agent'],
  cookie: request.headers.cookie,
  tellsOrigin: request.headers.origin !== undefined || request.headers['sec-fetch-site'] !== undefined,
  signal: watchConnection(reply),
});

const setCookies = (reply: FastifyReply, cookies: string[]): void => {
  for (const cookie of cookies) reply.header('set-cookie', cookie);
};

function routes({ signUp, signIn, passwords }: IdentityServices): Route[] {
  return [
    route('GET', '/status', undefined, Schema.Status, () => signUp.status()),

    route('POST', '/sign-up/email', Schema.SignUpBody, Schema.SignedIn, async (caller, body, reply) => {
      const { response, cookies } = await signUp.signUp(caller, body);
      setCookies(reply, cookies);
      return { user: presentUser(response.user) };
    }),

    route('POST', '/sign-in/email', Schema.SignInBody, Schema.SignedIn, async (caller, body, reply) => {
      const { response, cookies } = await signIn.signIn(caller, body);
      setCookies(reply, cookies);
      return { user: presentUser(response.user) };
    }),

    route('POST', '/sign-out', undefined, Schema.Accepted, async (caller, _body, reply) => {
      setCookies(reply, await signIn.signOut(caller));
      return { accepted: true };
    }),

    route('GET', '/get-session', undefined, Schema.CurrentSession, async (caller, _body, reply) => {
      const current = await signIn.current(caller);
      if (!current) return { user: null, session: null };
      setCookies(reply, current.cookies);
      const { userId, userName, email, userCreatedAt, sessionId, expiresAt } = current.session;
      return {
        user: presentUser({ id: userId, name: userName, email, createdAt: userCreatedAt }),
        session: {
          id: publicId('session', sessionId),
          object: 'session',
          expires_at: expiresAt.toISOString(),
        },
      };
    }),

    route('GET', '/list-sessions', undefined, Schema.SessionList, async (caller) =>
      toCompleteList(
        (await signIn.sessions(caller)).map((row) => ({
          id: publicId('session', row.id),
          object: 'session',
          current: row.current,
          ip: row.ip_address || null,
          user_agent: row.user_agent || null,
          created_at: row.created_at.toISOString(),
          expires_at: row.expires_at.toISOString(),
        })),
      ),
    ),

    route('POST', '/revoke-session', Schema.RevokeSessionBody, Schema.Revoked, async (caller, { id }) => ({
      revoked: await signIn.revokeSession(caller, id),
    })),

    route('POST', '/revoke-other-sessions', undefined, Schema.Revoked, async (caller) => ({
      revoked: await signIn.revokeOtherSessions(caller),
    })),

    route('POST', '/update-user', Schema.UpdateUserBody, Schema.SignedIn, async (caller, { name }) => {
      const user = await signIn.rename(caller, name);
      return { user: presentUser({ ...user, createdAt: user.created_at }) };
    }),

    route(
      'POST',
      '/request-password-reset',
      Schema.RequestResetBody,
      Schema.Accepted,
      async (caller, { email }) => {
        await passwords.requestReset(caller, email);
        return { accepted: true };
      },
    ),

    route('POST', '/reset-password', Schema.ResetBody, Schema.Accepted, async (caller, body, reply) => {
      setCookies(reply, await passwords.reset(caller, body.token, body.new_password));
      return { accepted: true };
    }),

    route(
      'POST',
      '/change-password',
      Schema.ChangePasswordBody,
      Schema.Accepted,
      async (caller, body, reply) => {
        const session = await signIn.requireSession(caller);
        const change = { current: body.current_password, next: body.new_password };
        setCookies(reply, await passwords.change(caller, session, change));
        return { accepted: true };
      },
    ),
  ];
}

/** The other writes sign people in or out, so they still run while a disk is nearly full. */
const KEEP_MORE: ReadonlySet<string> = new Set(['/sign-up/email', '/update-user']);

const OTHER_METHODS = { GET: ['POST', 'PUT', 'PATCH', 'DELETE'], POST: ['GET', 'PUT', 'PATCH', 'DELETE'] };

export function registerIdentity(app: FastifyInstance, services: IdentityServices): void {
  const mount = async (scope: FastifyInstance): Promise<void> => {
    scope.setValidatorCompiler(({ schema, httpPart }) =>
      compileValidator(schema as TSchema, httpPart === 'body' ? 'body' : 'querystring'),
    );
    scope.addHook('onRequest', async (request, reply) => {
      reply.header('cache-control', 'no-store');
      if (request.method === 'POST') requireOwnOrigin(services.config, request.headers);
    });
    for (const { method, path, body, answer, handle } of routes(services)) {
      scope.route({
        method,
        url: path,
        bodyLimit: BODY_LIMIT,
        config: KEEP_MORE.has(path) ? { keepsWhatComes: true } : {},
        schema: { ...(body ? { body } : {}), response: { 200: answer } },
        handler: (request, reply) => handle(getCaller(request, reply), request.body as never, reply),
      });
      scope.route({
        method: OTHER_METHODS[method],
        url: path,
        exposeHeadRoute: method === 'POST',
        onRequest(request, _reply, done) {
          const allow = method === 'GET' ? 'GET, HEAD' : 'POST';
          done(
            new Problem('method_not_allowed', `${request.method} is not supported here.`, {
              headers: { allow },
            }),
          );
        },
        handler: () => undefined,
      });
    }
  };
  app.register(mount, { prefix: PREFIX });
}
