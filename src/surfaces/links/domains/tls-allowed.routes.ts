/**
 * `GET /internal/tls-allowed?domain=`: whether a proxy in front may get a certificate for a name (Caddy's on-demand TLS
 * asks so): 200, else 404. Answered under any host name.
 */
import type { FastifyInstance } from 'fastify';
import { Problem } from '../../../platform/http/problem.ts';

export function registerTlsAllowed(
  app: FastifyInstance,
  isAllowed: (name: string) => Promise<boolean>,
): void {
  app.get<{ Querystring: { domain?: unknown } }>('/internal/tls-allowed', async ({ query }, reply) => {
    const { domain } = query;
    if (typeof domain !== 'string' || domain.includes('\0') || !(await isAllowed(domain)))
      throw new Problem('not_found', 'No certificate is needed for this name.');
    return reply.header('cache-control', 'no-store').send({ allowed: true });
  });
}
