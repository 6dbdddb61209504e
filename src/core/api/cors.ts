/**
 * CORS by key origin: a preflight carries no key, so it allows an origin that any active key lists; the call itself
 * checks its own key (guard.ts). Credentials are never allowed, so a cookie can't be used from elsewhere.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Epoch } from '../auth/epoch.ts';
import { createEpochCache } from '../auth/epoch-cache.ts';
import { originListedUntil } from '../auth/guard.system-store.ts';
import type { Database } from '../../platform/db/database.ts';
import { currentMs } from '../../platform/time/clock.ts';
import { addVary } from '../../platform/http/vary.ts';

const EXPOSED = [
  'Fairlead-Request-Id',
  'X-Request-Id',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'Retry-After-Ms',
  'X-Should-Retry',
  'ETag',
  'Location',
  'Idempotency-Replayed',
  'Fairlead-Missing-Scope',
  'Fairlead-Provider',
  'Fairlead-Model',
  'Deprecation',
  'Sunset',
].join(', ');

const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE';
const HEADER_NAMES = /^[\w!#$%&'*+.^`|~-]+( *, *[\w!#$%&'*+.^`|~-]+)*$/;
const MAX_ORIGIN = 300;
const ORIGINS_KEPT = 2_000;

export interface Cors {
  /** Sets the headers of an answer, where the origin is listed. True when there is nothing to wait for. */
  apply(request: FastifyRequest, reply: FastifyReply): true | Promise<void>;
  /** Sets the headers of a preflight's answer. */
  preflight(request: FastifyRequest, reply: FastifyReply): Promise<void>;
}

export function createCors(db: Database, epoch: Epoch): Cors {
  const origins = createEpochCache(epoch, db, originListedUntil, ORIGINS_KEPT);

  const allow = (reply: FastifyReply, origin: string): void => {
    void reply.headers({
      'access-control-allow-origin': origin,
      'access-control-expose-headers': EXPOSED,
      'cross-origin-resource-policy': 'cross-origin',
    });
  };

  const isListed = async (origin: string): Promise<boolean> => {
    if (origin === 'null' || origin.length > MAX_ORIGIN) return false;
    const found = origins.get(origin) ?? (await origins.load(origin));
    return found !== null && found.until > currentMs();
  };

  return {
    apply(request, reply) {
      const { origin } = request.headers;
      if (origin === undefined) return true;
      addVary(reply, 'Origin');
      const known = origins.get(origin);
      if (known) {
        if (known.until > currentMs()) allow(reply, origin);
        return true;
      }
      // Without a key the response contains nothing worth reading, and anyone could cause lookups of invented origins.
      if (request.headers.authorization === undefined) return true;
      return isListed(origin).then((listed) => {
        if (listed) allow(reply, origin);
      });
    },
    async preflight(request, reply) {
      const { origin, 'access-control-request-headers': asked } = request.headers;
      void reply.header('vary', 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers');
      if (origin === undefined || !(await isListed(origin))) return;
      allow(reply, origin);
      void reply.headers({
        'access-control-allow-methods': METHODS,
        'access-control-max-age': '600',
        ...(asked && HEADER_NAMES.test(asked) ? { 'access-control-allow-headers': asked } : {}),
      });
    },
  };
}
