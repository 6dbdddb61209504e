/**
 * Background jobs, stored in PostgreSQL by pg-boss (schema `pgboss`): enqueued in the caller's transaction, retried
 * with increasing delays, or scheduled. A job may run twice if a process dies during its execution, so handlers must be
 * idempotent.
 *
 * pg-boss is loaded on first use, because it costs 80 ms and some memory; processes that only enqueue neither execute
 * nor poll. Jobs that failed their last attempt go to the queue `dead`, which is logged.
 */
import type pg from 'pg';
import type {
  Clock,
  fromKysely as fromKyselyType,
  JobWithMetadata,
  PgBoss,
  Queue,
  SendOptions,
} from 'pg-boss';
import type { Registry } from 'prom-client';
import { createFairGate } from '../limits/fair-gate.ts';
import type { Database, Db } from '../db/database.ts';
import type { Log } from '../logging/log.ts';
import { createJobMetrics } from './job-metrics.ts';
import type { JobName, JobPayloads, JobQueue } from './job-queue.ts';
import { currentMs } from '../time/clock.ts';
import { type QueueRules, type QueueTable, SCHEDULED } from './queue-rules.ts';
import { createJobWorker, type Job, type JobWorker } from './job-worker.ts';
import { createTurn, type JobTurn } from './turn.ts';
import { nextTurn, othersAreDue, sameTurn, URGENT } from './turns.system-store.ts';

const SCHEMA = 'pgboss';
const DEAD = 'dead';
/**
 * Connections that pg-boss may use at a time. Its queues poll together, and each connection that this opens takes 4 MB of
 * PostgreSQL's memory.
 */
const CONNECTIONS = 2;
const STOP_MS = 5_000;
const START_AGAIN_MS = 5_000;
const REPEAT_LOG_MS = 60_000;
const DAY_SECONDS = 24 * 3600;
const HEARTBEAT_SECONDS = 60;
/** Schedules go by the database's clock. */
const CLOCK: Clock = { now: currentMs, setTimeout, clearTimeout, setInterval, clearInterval };

export interface Jobs {
  queue: JobQueue;
  /**
   * Says who performs a queue. Before `start`.
   * @param handler returns what is left for the job's next turn (turn.ts); nothing where all is done
   * @param onGivenUp called once the last try has failed
   */
  work<N extends JobName>(
    name: N,
    handler: (payload: JobPayloads[N], turn: JobTurn) => Promise<JobPayloads[N] | void>,
    onGivenUp?: (payload: JobPayloads[N]) => Promise<unknown>,
  ): void;
  /** Performs `handler` by a cron expression (UTC), in one process at a time. Before `start`. */
  schedule(name: string, cron: string, handler: (signal: AbortSignal) => Promise<unknown>): void;
  /** Starts executing registered jobs. Returns immediately, and keeps retrying while the database is unreachable. */
  start(): void;
  /** Waits a few seconds for what runs; the rest is tried again elsewhere. */
  stop(): Promise<void>;
}

interface Task {
  name: string;
  rules: QueueRules;
  cron: string | null;
  perform: (payload: never, turn: JobTurn) => Promise<unknown>;
  onGivenUp?: (payload: never) => Promise<unknown>;
}

const queueOptions = (rules: QueueRules) => ({
  // What a process that was killed held counts for its person no longer, and is tried again.
  heartbeatSeconds: HEARTBEAT_SECONDS,
  retryLimit: rules.tries - 1,
  retryDelay: rules.firstWaitSeconds,
  retryBackoff: true,
  retryDelayMax: rules.longestWaitSeconds,
  expireInSeconds: rules.timeoutSeconds,
  retentionSeconds: 14 * DAY_SECONDS,
  // What is over is kept for no longer: payloads name people and workspaces that may be erased.
  deleteAfterSeconds: DAY_SECONDS,
  deadLetter: DEAD,
});

async function ensureQueues(boss: PgBoss, queues: Map<string, QueueRules | null>, scheduled: Set<string>) {
  const known = new Map((await boss.getQueues()).map((queue) => [queue.name, queue]));
  for (const [name, rules] of queues) {
    const options = rules ? queueOptions(rules) : { retryLimit: 0, deleteAfterSeconds: DAY_SECONDS };
    const there = known.get(name);
    // 'exclusive': one job of a schedule waits or runs at a time.
    if (!there)
      await boss.createQueue(name, { ...options, policy: scheduled.has(name) ? 'exclusive' : 'standard' });
    else if (Object.entries(options).some(([key, value]) => there[key as keyof Queue] !== value))
      await boss.updateQueue(name, options);
  }
}

/** @param deps `performs`: false for processes that only enqueue; `getPerson`: whom a workspace's jobs count for */
export function createJobs(deps: {
  pool: pg.Pool;
  /** The same database. */
  db: Database;
  log: Pick<Log, 'info' | 'warn' | 'error'>;
  /** Rules of every queue. */
  queues: QueueTable;
  performs: boolean;
  registry?: Registry;
  getPerson?: (db: Db, workspaceId: string) => Promise<string>;
}): Jobs {
  const {
    pool,
    db: ownDb,
    log,
    queues: queueTable,
    performs,
    registry,
    getPerson = async (_db, workspaceId) => workspaceId,
  } = deps;
  const metrics = registry && createJobMetrics(registry, pool, log);
  const tasks: Task[] = [];
  const workers: JobWorker[] = [];
  const inSlot = createFairGate({ capacity: CONNECTIONS });
  let ready: Promise<{ boss: PgBoss; fromKysely: typeof fromKyselyType }> | null = null;
  let stopped = false;
  let retry: NodeJS.Timeout | undefined;
  let toldAt = Number.NEGATIVE_INFINITY;

  /**
   * The last turn that a transaction gave to each queue and person: finding one reads what waits, and a transaction may
   * enqueue hundreds.
   */
  const turnsOfTransactions = new WeakMap<Db, Map<string, number>>();
  const getTurns = (db: Db): Map<string, number> => {
    if (!db.isTransaction) return new Map();
    const turns = turnsOfTransactions.get(db) ?? new Map<string, number>();
    turnsOfTransactions.set(db, turns);
    return turns;
  };

  /** @param isRest of a job whose turn is over: before all later ones of its person */
  const enqueueFor = async (
    db: Db,
    name: string,
    payload: object,
    person: string,
    { isRest = false, ...options }: SendOptions & { isRest?: boolean } = {},
  ): Promise<void> => {
    const { boss, fromKysely } = await use();
    const rules: QueueRules | undefined = queueTable[name as JobName];
    const turns = getTurns(db);
    const before = turns.get(`${name} ${person}`);
    const priority =
      before !== undefined && !isRest
        ? before - 1
        : await (isRest ? sameTurn : nextTurn)(db, name, person, rules);
    turns.set(`${name} ${person}`, priority);
    await boss.send(name, payload, { group: { id: person }, priority, ...options, db: fromKysely(db) });
  };

  const tellError = (error: Error): void => {
    if (performance.now() - toldAt < REPEAT_LOG_MS) return;
    toldAt = performance.now();
    log.warn({ err: error }, 'jobs: the database did not answer as expected');
  };

  const open = async () => {
    const { PgBoss, fromKysely } = await import('pg-boss');
    const boss = new PgBoss({
      db: { executeSql: (text, values) => inSlot([], () => pool.query(text, values)) },
      schema: SCHEMA,
      supervise: performs,
      schedule: performs,
      clock: CLOCK,
      registerInstance: false,
      flowIntervalSeconds: 3600,
      cronMonitorIntervalSeconds: 45,
      cronWorkerIntervalSeconds: 15,
      openTelemetry: { enabled: false },
    });
    boss.on('error', tellError);
    boss.on('warning', (warning) => log.warn({ warning }, 'jobs'));
    await boss.start();
    const scheduled = tasks.filter(({ cron }) => cron !== null);
    const queues = new Map<string, QueueRules | null>([[DEAD, null], ...Object.entries(queueTable)]);
    for (const { name, rules } of scheduled) queues.set(name, rules);
    await ensureQueues(boss, queues, new Set(scheduled.map(({ name }) => name)));
    return { boss, fromKysely };
  };
  const use = () =>
    (ready ??= open().catch((error: unknown) => {
      ready = null;
      throw error;
    }));

  const attempt = (task: Task) => async (job: Job, signal: AbortSignal) => {
    const started = performance.now();
    const person = job.groupId ?? null;
    const turn = createTurn(
      signal,
      async () => person !== null && (await othersAreDue(ownDb, task.name, person, task.rules)),
    );
    try {
      const left = await task.perform(job.data as never, turn);
      if (left && person !== null)
        return await ownDb
          .transaction()
          .execute((tx) => enqueueFor(tx, task.name, left, person, { isRest: true }));
    } catch (error) {
      metrics?.ended(task.name, 'failed');
      const left = job.retryLimit - job.retryCount;
      log.warn(
        { err: error, queue: task.name, job: job.id, left },
        'jobs: job failed, retrying while attempts are left',
      );
      throw error;
    }
    metrics?.ended(task.name, 'done');
    const ms = Math.round(performance.now() - started);
    if (task.cron === null) log.info({ queue: task.name, job: job.id, ms }, 'job done');
  };

  const buryAll = async (batch: JobWithMetadata<unknown>[]): Promise<void> => {
    for (const { sourceName, sourceId, data } of batch) {
      metrics?.ended(sourceName ?? 'unknown', 'given_up');
      log.error({ queue: sourceName, job: sourceId }, 'jobs: job failed for the last time, giving up');
      await tasks
        .find(({ name }) => name === sourceName)
        ?.onGivenUp?.(data as never)
        .catch((error: unknown) =>
          log.error({ err: error, queue: sourceName, job: sourceId }, 'jobs: could not report a dead job'),
        );
    }
  };

  const perform = async (): Promise<void> => {
    const { boss } = await use();
    for (const { name, cron } of tasks) if (cron !== null) await boss.schedule(name, cron);
    await boss.work(DEAD, { includeMetadata: true, pollingIntervalSeconds: 30, batchSize: 50 }, buryAll);
    if (stopped) return;
    for (const task of tasks) {
      const { name, rules } = task;
      const worker = createJobWorker({ boss, name, rules, perform: attempt(task), onError: tellError });
      workers.push(worker);
      worker.start();
    }
  };

  const begin = (): void => {
    perform().catch((error: unknown) => {
      if (stopped) return;
      log.warn({ err: error }, 'jobs: could not start, retrying');
      retry = setTimeout(begin, START_AGAIN_MS);
    });
  };

  return {
    queue: {
      async enqueue(db, name, payload, { afterSeconds, workspaceId, isUrgent = false } = {}) {
        const owner = workspaceId ?? ('workspaceId' in payload ? payload.workspaceId : undefined);
        const options = { startAfter: afterSeconds, ...(isUrgent && { priority: URGENT }) };
        if (owner !== undefined) return enqueueFor(db, name, payload, await getPerson(db, owner), options);
        const { boss, fromKysely } = await use();
        await boss.send(name, payload, { ...options, db: fromKysely(db) });
      },
    },
    work(name, handler, onGivenUp) {
      if (performs) metrics?.known(name);
      const rules: QueueRules | undefined = queueTable[name];
      if (!rules) throw new Error(`No surface declares how the queue ${name} is worked`);
      tasks.push({ name, rules, cron: null, perform: handler, onGivenUp });
    },
    schedule(name, cron, handler) {
      if (performs) metrics?.known(name);
      tasks.push({ name, rules: SCHEDULED, cron, perform: (_payload, { signal }) => handler(signal) });
    },
    start() {
      if (performs) begin();
      // Opened before it is needed: within a transaction it would wait for a second connection of the pool.
      else void use().catch(tellError);
    },
    async stop() {
      stopped = true;
      clearTimeout(retry);
      const opened = await ready?.catch(() => null);
      await Promise.all(workers.map((worker) => worker.stop(STOP_MS)));
      await opened?.boss.stop({ graceful: true, timeout: STOP_MS });
    },
  };
}
