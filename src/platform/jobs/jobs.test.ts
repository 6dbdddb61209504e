import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Registry } from 'prom-client';
import { createTestDatabase, type TestDatabase } from '../../../test/support/db.ts';
import { until } from '../../../test/support/events/outbox.ts';
import type { JobName } from './job-queue.ts';
import { createJobs, type Jobs } from './jobs.ts';
import { QUEUES } from '../../app/surfaces.ts';

let test: TestDatabase;
const running: Jobs[] = [];
let lines: [string, Record<string, unknown>][] = [];

const log = {
  info() {},
  warn: (details: object, message: string) => void lines.push([message, details as Record<string, unknown>]),
  error: (details: object, message: string) => void lines.push([message, details as Record<string, unknown>]),
};

function newJobs(performs = true, registry?: Registry): Jobs {
  const jobs = createJobs({ pool: test.pool, db: test.db, log, queues: QUEUES, performs, registry });
  running.push(jobs);
  return jobs;
}

const getStates = async (queue: string): Promise<string[]> => {
  const { rows } = await test.pool.query('select state from pgboss.job where name = $1 order by created_on', [
    queue,
  ]);
  return rows.map(({ state }) => state as string);
};

beforeAll(async () => {
  test = await createTestDatabase();
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((jobs) => jobs.stop()));
  await test.pool.query('delete from pgboss.job');
  lines = [];
});
afterAll(() => test.drop());

describe('jobs', () => {
  it('exist if and only if the change commits', async () => {
    const { queue } = newJobs(false);
    await test.db.transaction().execute((tx) => queue.enqueue(tx, 'mail.send', { sealed: 'kept' }));
    await expect(
      test.db.transaction().execute(async (tx) => {
        await queue.enqueue(tx, 'mail.send', { sealed: 'undone' });
        throw new Error('undo');
      }),
    ).rejects.toThrow('undo');
    const { rows } = await test.pool.query('select data from pgboss.job');
    expect(rows).toEqual([{ data: { sealed: 'kept' } }]);
  });

  it('take two connections at a time, however many queues are polled', async () => {
    let [at, peak] = [0, 0];
    const counted = Object.assign(Object.create(test.pool) as typeof test.pool, {
      async query(...args: [string, unknown[]]) {
        peak = Math.max(peak, ++at);
        return test.pool.query(...args).finally(() => at--);
      },
    });
    const jobs = createJobs({ pool: counted, db: test.db, log, queues: QUEUES, performs: true });
    running.push(jobs);
    const polled = new Set<string>();
    for (const name of Object.keys(QUEUES) as JobName[]) jobs.work(name, async () => void polled.add(name));
    jobs.start();
    await test.db.transaction().execute(async (tx) => {
      await jobs.queue.enqueue(tx, 'mail.send', { sealed: '' });
      await jobs.queue.enqueue(tx, 'media.collect', { workspaceId: 'w', sha256: '00' });
    });
    await until(() => polled.size === 2);
    expect(peak).toBe(2);
  });

  it('come one after the other, as many at once as the queue says, and wait for no poll', async () => {
    const jobs = newJobs();
    const many = 40;
    const max = QUEUES['media.collect'].parallel!;
    const met = Promise.withResolvers<void>();
    let [at, peak, done] = [0, 0, 0];
    jobs.work('media.collect', async () => {
      peak = Math.max(peak, ++at);
      if (at === max) met.resolve();
      await met.promise;
      at -= 1;
      done += 1;
    });
    for (let n = 0; n < many; n++)
      await jobs.queue.enqueue(test.db, 'media.collect', { workspaceId: `w${n % 8}`, sha256: '00' });
    const startedAt = performance.now();
    jobs.start();
    await until(() => done === many, 30_000);
    expect(peak).toBe(max);
    // Each worker would take 20 s by polls alone: ten jobs, one every 2 s.
    expect(performance.now() - startedAt).toBeLessThan(15_000);
  });

  it('are performed by a process that performs, with their payload, once', async () => {
    const done: string[] = [];
    const sender = newJobs(false);
    const performers = [newJobs(), newJobs()];
    for (const jobs of performers) {
      jobs.work('mail.send', async ({ sealed }) => void done.push(sealed));
      jobs.start();
    }
    for (const sealed of ['a', 'b', 'c']) await sender.queue.enqueue(test.db, 'mail.send', { sealed });
    await until(() => done.length >= 3, 20_000);
    await until(async () => (await getStates('mail.send')).every((state) => state === 'completed'));
    expect(done.toSorted()).toEqual(['a', 'b', 'c']);
  });

  it('wait where they are to begin later', async () => {
    const { queue } = newJobs(false);
    await queue.enqueue(test.db, 'workspaces.erase', { workspaceId: 'x' }, { afterSeconds: 60 });
    const { rows } = await test.pool.query(
      `select extract(epoch from start_after - created_on)::int as wait from pgboss.job`,
    );
    expect(rows).toEqual([{ wait: 60 }]);
  });

  it('that fail are tried again with growing waits, and told', async () => {
    const jobs = newJobs();
    let tries = 0;
    jobs.work('mail.send', async () => {
      tries++;
      throw new Error('mail server away');
    });
    jobs.start();
    await jobs.queue.enqueue(test.db, 'mail.send', { sealed: 'x' });
    await until(() => tries === 1, 20_000);
    await until(async () => (await getStates('mail.send'))[0] === 'retry');
    const { rows } = await test.pool.query(
      `select retry_limit, retry_backoff, extract(epoch from start_after - now())::float8 as wait from pgboss.job where name = 'mail.send'`,
    );
    expect(rows[0]).toMatchObject({ retry_limit: QUEUES['mail.send'].tries - 1, retry_backoff: true });
    expect(rows[0].wait).toBeGreaterThan(5);
    expect(rows[0].wait).toBeLessThan(31);
    expect(lines[0]).toEqual([
      expect.stringContaining('retrying'),
      expect.objectContaining({ queue: 'mail.send', left: 11 }),
    ]);
  });

  it('are measured: what waits, and how tries ended', async () => {
    const registry = new Registry();
    const toValue = async (line: string): Promise<number> =>
      Number(
        (await registry.metrics())
          .split('\n')
          .find((one) => one.startsWith(`${line} `))
          ?.split(' ')
          .at(-1),
      );
    const { queue } = newJobs(false, registry);
    for (const sealed of ['good', 'good', 'bad'])
      await test.db.transaction().execute((tx) => queue.enqueue(tx, 'mail.send', { sealed }));
    await test.db
      .transaction()
      .execute((tx) => queue.enqueue(tx, 'mail.send', { sealed: 'later' }, { afterSeconds: 3600 }));
    expect(await toValue('fairlead_jobs_waiting')).toBe(3);
    await test.pool.query(
      "update pgboss.job set start_after = now() - interval '90 s' where data->>'sealed' = 'bad'",
    );
    expect(await toValue('fairlead_jobs_oldest_due_seconds')).toBeGreaterThanOrEqual(90);

    const performing = new Registry();
    const jobs = newJobs(true, performing);
    jobs.work('mail.send', async ({ sealed }) => {
      if (sealed === 'bad') throw new Error('bad');
    });
    expect(await performing.getSingleMetricAsString('fairlead_jobs_total')).toContain(
      '{queue="mail.send",outcome="given_up"} 0',
    );
    jobs.start();
    await until(async () => {
      const text = await performing.getSingleMetricAsString('fairlead_jobs_total');
      return text.includes('outcome="failed"} 1') && text.includes('outcome="done"} 2');
    }, 20_000);
    expect(await toValue('fairlead_jobs_waiting')).toBe(0);
  });

  it('that failed for the last time are told as given up', async () => {
    const givenUp: string[] = [];
    // Either process may take the job from the queue of given up jobs: the first one too, if it is slow to start.
    const start = (): Jobs => {
      const jobs = newJobs();
      jobs.work(
        'mail.send',
        async () => {
          throw new Error('never');
        },
        async ({ sealed }) => void givenUp.push(sealed),
      );
      jobs.start();
      return jobs;
    };
    const { queue } = newJobs(false);
    await queue.enqueue(test.db, 'mail.send', { sealed: 'x' });
    await test.pool.query('update pgboss.job set retry_count = retry_limit');
    const { rows } = await test.pool.query('select id from pgboss.job');
    const first = start();
    await until(async () => (await getStates('dead')).length === 1);
    await first.stop();
    // It looks for given up jobs when it starts, and then only each 30 s.
    start();
    await until(() => givenUp.length > 0);
    expect(givenUp).toEqual(['x']);
    expect(lines.find(([message]) => message.includes('giving up'))![1]).toEqual({
      queue: 'mail.send',
      job: rows[0].id,
    });
  });

  it('of a schedule never pile up, and one process performs a turn', async () => {
    let runs = 0;
    for (const jobs of [newJobs(), newJobs()]) {
      jobs.schedule('test.tick', '5 4 * * *', async () => void runs++);
      jobs.start();
    }
    await until(async () => (await test.pool.query('select from pgboss.schedule')).rowCount === 1, 20_000);
    const { rows } = await test.pool.query('select name, cron, timezone from pgboss.schedule');
    expect(rows).toEqual([{ name: 'test.tick', cron: '5 4 * * *', timezone: 'UTC' }]);
    await Promise.all(running.splice(0).map((jobs) => jobs.stop()));

    const { queue } = newJobs(false);
    for (let turn = 0; turn < 3; turn++)
      await queue.enqueue(test.db, 'test.tick' as 'mail.send', { sealed: '' });
    expect(await getStates('test.tick')).toEqual(['created']);
    for (const jobs of [newJobs(), newJobs()]) {
      jobs.schedule('test.tick', '5 4 * * *', async () => void runs++);
      jobs.start();
    }
    await until(async () => (await getStates('test.tick'))[0] === 'completed', 20_000);
    expect(runs).toBe(1);
  });

  it('in hand when the process stops get a few seconds', async () => {
    const jobs = newJobs();
    let outcome = '';
    jobs.work('mail.send', async () => {
      outcome = 'begun';
      await new Promise((resolve) => setTimeout(resolve, 500));
      outcome = 'done';
    });
    jobs.start();
    await jobs.queue.enqueue(test.db, 'mail.send', { sealed: 'x' });
    await until(() => outcome === 'begun', 20_000);
    await jobs.stop();
    expect(outcome).toBe('done');
    expect(await getStates('mail.send')).toEqual(['completed']);
  });
});
