/**
 * `GET /internal/tls-allowed?domain=`: tells a reverse proxy whether it may request a certificate for a name (200) or
 * not (404), as Caddy's on-demand TLS asks. Served on any host.
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
      throw new Problem('not_found', 'No certificate may be issued for this name.');
    return reply.header('cache-control', 'no-store').send({ allowed: true });
  });
}
