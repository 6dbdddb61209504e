/** `/healthz` (the process answers), `/readyz` (it can do its work), `/metrics`, `/.well-known/security.txt`. */
import { timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type Config, isLoopbackHost } from '../config.ts';
import { hostName } from './hosts.ts';
import { Problem } from './problem.ts';

/** `degraded` still serves; `failed` doesn't. */
export type Check = () => Promise<'ok' | 'degraded'> | 'ok' | 'degraded';

export interface HealthDeps {
  config: Config;
  checks: Record<string, Check>;
  /** Prometheus text. */
  metrics: () => Promise<string>;
  isStopping: () => boolean;
  /** Whether the process does work that must not end with what failed: then it is told as degraded. */
  isUseful?: () => boolean;
}

const FORWARDING = ['forwarded', 'x-forwarded-for', 'x-real-ip', 'via'];
const CHECK_MS = 2_000;
const YEAR_MS = 365 * 24 * 3600 * 1000;

function mayReadMetrics(request: FastifyRequest, token: string | null): boolean {
  if (token !== null) {
    const given = Buffer.from(request.headers.authorization ?? '');
    const wanted = Buffer.from(`Bearer ${token}`);
    return given.length === wanted.length && timingSafeEqual(given, wanted);
  }
  const peer = (request.raw.socket.remoteAddress ?? '').replace(/^::ffff:/, '');
  // By the name too: a page in the reader's own browser may call itself by any other.
  if (!isLoopbackHost(hostName(request.host))) return false;
  return isLoopbackHost(peer) && FORWARDING.every((name) => request.headers[name] === undefined);
}

async function outcome(check: Check): Promise<'ok' | 'degraded' | 'failed'> {
  const late = new Promise<'failed'>((resolve) => setTimeout(() => resolve('failed'), CHECK_MS).unref());
  // Readiness is told as a state; the log has the reason from where it happened.
  return Promise.race([Promise.resolve().then(check), late]).catch(() => 'failed' as const);
}

export function registerHealth(
  app: FastifyInstance,
  { config, checks, metrics, isStopping, isUseful = () => false }: HealthDeps,
): void {
  app.get('/healthz', async (_request, reply) =>
    reply.header('cache-control', 'no-store').send({ status: 'ok' }),
  );

  app.get('/readyz', async (_request, reply) => {
    const entries = await Promise.all(
      Object.entries(checks).map(async ([name, check]) => [name, await outcome(check)] as const),
    );
    const states = entries.map(([, state]) => state);
    const down = isStopping() || (states.includes('failed') && !isUseful());
    const status = down ? 'failed' : states.some((state) => state !== 'ok') ? 'degraded' : 'ok';
    return reply
      .code(down ? 503 : 200)
      .header('cache-control', 'no-store')
      .send({ status, stopping: isStopping(), checks: Object.fromEntries(entries) });
  });

  app.get('/metrics', async (request, reply) => {
    if (!mayReadMetrics(request, config.METRICS_TOKEN))
      throw new Problem('not_found', 'Metrics need METRICS_TOKEN, or a caller on this machine.');
    return reply
      .header('cache-control', 'no-store')
      .type('text/plain; version=0.0.4')
      .send(await metrics());
  });

  app.get('/.well-known/security.txt', async (_request, reply) =>
    reply
      .type('text/plain; charset=utf-8')
      .send(
        [
          `Contact: ${config.baseUrl}/docs`,
          `Expires: ${new Date(Date.now() + YEAR_MS).toISOString()}`,
          `Canonical: ${config.baseUrl}/.well-known/security.txt`,
          '',
        ].join('\n'),
      ),
  );
}
