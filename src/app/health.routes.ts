/** `/healthz` (the process answers), `/readyz` (it can do its work), `/metrics`, `/.well-known/security.txt`. */
import { timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type Config, isLoopbackHost } from '../platform/config/config.ts';
import type { Check } from '../platform/http/health-check.ts';
import type { Log } from '../platform/logging/log.ts';
import { withTimeout } from '../platform/time/timeout.ts';
import { createFailureLog } from '../platform/metrics/failure-log.ts';
import { hostName } from '../platform/http/hosts.ts';
import { Problem } from '../platform/http/problem.ts';

/** `degraded` still serves; `failed` doesn't. */
type State = 'ok' | 'degraded' | 'failed';

export interface HealthDeps {
  config: Config;
  log: Pick<Log, 'info' | 'error'>;
  /** The dependencies of this process: it is not ready while one of these fails. */
  checks: Record<string, Check>;
  /** Work that all processes share: while one of these fails, this process is degraded but ready. */
  sharedChecks?: Record<string, Check>;
  /** Prometheus text. */
  metrics: () => Promise<string>;
  isStopping: () => boolean;
  /** Whether the process does other work that must go on if this check fails; the failure then counts as degraded. */
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

/** Returns a check that reports a failure as a state and logs the reason once. */
function createCheck(
  log: Pick<Log, 'info' | 'error'>,
  name: string,
  check: Check,
  whenFailed: State,
): () => Promise<State> {
  const outcome = createFailureLog(log, {
    details: { check: name },
    failed: 'readiness: a check failed',
    recovered: 'readiness: the check passes again',
  });
  return async () => {
    try {
      const state = await withTimeout((async () => check())(), CHECK_MS);
      outcome.succeeded();
      return state;
    } catch (error) {
      outcome.failed(error);
      return whenFailed;
    }
  };
}

export function registerHealth(
  app: FastifyInstance,
  { config, log, checks, sharedChecks = {}, metrics, isStopping, isUseful = () => false }: HealthDeps,
): void {
  const checkAs = (some: Record<string, Check>, whenFailed: State) =>
    Object.entries(some).map(([name, check]) => [name, createCheck(log, name, check, whenFailed)] as const);
  const all = [...checkAs(checks, 'failed'), ...checkAs(sharedChecks, 'degraded')];

  app.get('/healthz', async (_request, reply) =>
    reply.header('cache-control', 'no-store').send({ status: 'ok' }),
  );

  app.get('/readyz', async (_request, reply) => {
    const entries = await Promise.all(all.map(async ([name, check]) => [name, await check()] as const));
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
