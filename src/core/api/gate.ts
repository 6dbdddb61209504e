/**
 * The entry of every API operation. Host and CORS headers are already handled; this does content negotiation,
 * authentication, authorization and rate limits. Uses callbacks, because a warm call awaits nothing.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Actor, RateLimit } from '../auth/actor.ts';
import type { Guard } from '../auth/guard.ts';
import { mayDo, scopesThatAllow } from '../vocabulary/scopes.ts';
import type { Config } from '../../platform/config/config.ts';
import { callerAddress } from '../../platform/http/caller-address.ts';
import { isWrite, type OperationSpec } from './operation.ts';
import { Problem } from '../../platform/http/problem.ts';
import type { RateLimiter } from './rate-limit.ts';

/** Of a signed-in person over all their sessions: far more than the console needs. */
const RATE_OF_PERSON: RateLimit = { limit: 6_000, burst: 3_000 };

declare module 'fastify' {
  interface FastifyRequest {
    actor: Actor | null;
  }
}

export interface GateDeps {
  config: Config;
  guard: Guard;
  limiter: RateLimiter;
}

const header = (request: FastifyRequest, name: string): string | undefined => {
  const value = request.headers[name];
  return Array.isArray(value) ? value[0] : value;
};

/** Whether Accept lets one of the operation's types through. A missing header lets all. */
function accepts(accept: string | undefined, types: readonly string[]): boolean {
  if (accept === undefined || accept.trim() === '' || accept.includes('*/*')) return true;
  const wanted = accept
    .toLowerCase()
    .split(',')
    .filter((range) => !/;\s*q=0(\.0*)?\s*(;|$)/.test(range))
    .map((range) => range.split(';')[0]!.trim());
  return types.some((type) => wanted.includes(type) || wanted.includes(`${type.split('/')[0]}/*`));
}

/** @throws Problem when this actor may not call this operation at all. */
function checkAccess(spec: OperationSpec, actor: Actor): void {
  checkCaller(spec, actor);
  if (actor.kind === 'user') return;
  for (const scope of spec.alsoNeeds ?? [])
    if (!mayDo(actor.scopes, scope))
      throw new Problem('insufficient_scope', `${spec.id} also needs the scope ${scope}.`);
}

function checkCaller({ access, id }: OperationSpec, actor: Actor): void {
  if (access === 'public' || access === 'anyone') return;
  if (access === 'user') {
    if (actor.kind === 'api_key')
      throw new Problem('session_required', `${id} requires a signed-in user. API keys are not allowed.`);
    return;
  }
  if (actor.kind === 'user')
    throw new Problem('workspace_required', 'Specify the workspace in the header Fairlead-Workspace.');
  if (access !== 'actor' && !mayDo(actor.scopes, access))
    throw new Problem('insufficient_scope', `${id} needs the scope ${scopesThatAllow(access).join(' or ')}.`);
}

export function createGate({ config, guard, limiter }: GateDeps) {
  const ownOrigin = config.baseUrlIsSet
    ? () => config.baseUrl
    : (request: FastifyRequest) => `${request.protocol}://${request.host}`;

  return (spec: OperationSpec) => {
    const writes = isWrite(spec);
    const types = ['application/json', 'application/problem+json', ...(spec.produces ?? [])];

    const admit = (request: FastifyRequest, reply: FastifyReply, actor: Actor): true | Promise<true> => {
      // Set first: the request log also holds calls that the actor may not make.
      request.actor = actor;
      checkAccess(spec, actor);
      const isKey = actor.kind === 'api_key';
      const limited = isKey ? actor : { keyId: actor.userId, rateLimit: RATE_OF_PERSON };
      const taken = limiter.takeAll(limited, isKey ? actor.limitedAncestors : []);
      const tell = (): true => {
        void reply.headers(limiter.headers(limited));
        return true;
      };
      return taken === true ? tell() : taken.then(tell);
    };

    const identify = (request: FastifyRequest, reply: FastifyReply): true | Promise<true> => {
      if (!spec.binary && !accepts(request.headers.accept, types))
        throw new Problem('not_acceptable', `This operation can respond with ${types.join(', ')}.`);
      if (spec.access === 'public') return true;
      const actor = guard.authenticate({
        authorization: request.headers.authorization,
        cookie: request.headers.cookie,
        workspace: header(request, 'fairlead-workspace'),
        origin: request.headers.origin,
        fetchSite: header(request, 'sec-fetch-site'),
        ip: callerAddress(request),
        connection: request.raw.socket,
        isWrite: writes,
        ownOrigin: () => ownOrigin(request),
      });
      return actor instanceof Promise
        ? actor.then((found) => admit(request, reply, found))
        : admit(request, reply, actor);
    };

    return (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): void => {
      try {
        const admitted = identify(request, reply);
        if (admitted === true) done();
        else admitted.then(() => done(), done);
      } catch (error) {
        done(error as Error);
      }
    };
  };
}
