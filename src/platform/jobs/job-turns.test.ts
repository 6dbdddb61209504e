/** Persons take turns at the workers of a queue; what comes before a job is counted. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../test/support/db.ts';
import { until } from '../../../test/support/events/outbox.ts';
import type { Db } from '../db/database.ts';
import type { JobName } from './job-queue.ts';
import { createJobs, type Jobs } from './jobs.ts';
import { QUEUES } from '../../app/surfaces.ts';
import { BATCHES_OF_TURN, performInTurn } from './turn.ts';

let database: TestDatabase;
const running: Jobs[] = [];

const log = { info() {}, warn() {}, error() {} };

/** Workspaces are named `<person> <number>`. */
function newJobs(): Jobs {
  const jobs = createJobs({
    pool: database.pool,
    db: database.db,
    log,
    queues: QUEUES,
    performs: true,
    getPerson: async (_db, workspaceId) => workspaceId.split(' ')[0]!,
  });
  running.push(jobs);
  return jobs;
}

beforeAll(async () => {
  database = await createTestDatabase();
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((jobs) => jobs.stop()));
  await database.pool.query('delete from pgboss.job');
});
afterAll(() => database.drop());

test.each([1, 2, 4, 16])(
  'a mail is sent after one mail of each of %i others, however many wait',
  async (others) => {
    const jobs = newJobs();
    const send = (from: string, options: { workspaceId: string } | { isUrgent: true }) =>
      jobs.queue.enqueue(database.db, 'mail.send', { sealed: from }, options);
    for (let n = 0; n < 100; n++)
      await send(`other ${n % others}`, { workspaceId: `other${n % others} ${n}` });
    await send('victim', { workspaceId: 'victim 1' });
    await send('reset', { isUrgent: true });
    const sent: string[] = [];
    jobs.work('mail.send', async ({ sealed }) => void sent.push(sealed));
    jobs.start();
    await until(() => sent.length === 102);
    expect(sent[0]).toBe('reset');
    expect(sent.indexOf('victim')).toBeLessThanOrEqual(1 + others);
    // Those of one person keep their order, and whoever comes later does not catch up.
    for (let round = 1; round <= 3; round++) {
      const first = sent.filter((from) => from.startsWith('other')).slice(0, round * others);
      expect(new Set(first).size).toBe(others);
    }
  },
);

test.each(Object.keys(QUEUES) as JobName[])(
  'a job of %s comes after one of another person, of the three in two workspaces',
  async (name) => {
    const { queue } = newJobs();
    // Payloads differ by queue; the order in it looks at none.
    const enqueue = queue.enqueue as (db: Db, name: JobName, payload: object, owner: object) => Promise<void>;
    for (const workspaceId of ['other 1', 'other 2', 'other 1', 'victim 1'])
      await enqueue(database.db, name, { workspaceId }, { workspaceId });
    const { rows } = await database.pool.query<{ person: string }>(
      'select group_id as person from pgboss.job where name = $1 order by priority desc, created_on, id',
      [name],
    );
    expect(rows.slice(0, 2).map(({ person }) => person)).toEqual(['other', 'victim']);
  },
);

test('whoever comes while others wait takes turns with them from then on', async () => {
  const jobs = newJobs();
  const add = (workspaceId: string) =>
    jobs.queue.enqueue(database.db, 'mail.send', { sealed: workspaceId }, { workspaceId });
  for (let n = 0; n < 6; n++) await add('a');
  const sent: string[] = [];
  jobs.work('mail.send', async ({ sealed }) => {
    sent.push(sealed);
    if (sent.length === 3) for (let n = 0; n < 6; n++) await add('b');
  });
  jobs.start();
  await until(() => sent.length === 12);
  // After three of a, one of each until a has none left.
  expect(sent.slice(0, 3)).toEqual(['a', 'a', 'a']);
  for (const at of [3, 5, 7]) expect(sent.slice(at, at + 2).sort()).toEqual(['a', 'b']);
});

const OUTWARD = ['media.fetch', 'publications.ask', 'model-providers.refresh'] as const;

test.each(OUTWARD.flatMap((name) => [1, 2, 4, 16].map((attackers) => ({ name, attackers }))))(
  'hung jobs of $name of $attackers persons with six workspaces each leave slots to another, and are all done in the end',
  async ({ name, attackers }) => {
    const jobs = newJobs();
    // Payloads differ by queue; these handlers look at none.
    const enqueue = (workspaceId: string) =>
      jobs.queue.enqueue(
        database.db,
        name,
        { workspaceId, id: 'x', tried: 0, only: null },
        {
          workspaceId,
        },
      );
    const hung = Promise.withResolvers<void>();
    const begun: string[] = [];
    let done = 0;
    jobs.work(name, async ({ workspaceId }) => {
      begun.push(workspaceId);
      if (workspaceId.startsWith('attacker')) await hung.promise;
      done += 1;
    });
    const each = 12;
    for (let n = 0; n < each * attackers; n++) await enqueue(`attacker${n % attackers} ${n % 6}`);
    jobs.start();
    const isHeld = (person: number) => begun.some((one) => one.startsWith(`attacker${person} `));
    await until(() => Array.from({ length: attackers }, (_, person) => isHeld(person)).every(Boolean));
    for (let n = 0; n < 5; n++) await enqueue('victim 1');
    await until(() => done === 5);
    expect(begun.filter((one) => one.startsWith('attacker')).length).toBeLessThan(each * attackers);
    hung.resolve();
    await until(() => done === 5 + each * attackers);
  },
);

test.each([1, 10, 100])(
  'a job is performed after at most one turn of each of %i others, however long theirs are',
  async (others) => {
    const jobs = newJobs();
    const add = (workspaceId: string) =>
      jobs.queue.enqueue(database.db, 'publications.cancel', { workspaceId, endpointId: 'e' });
    const TURNS = 3;
    const left = new Map<string, number>();
    const performed: string[] = [];
    jobs.work('publications.cancel', async (payload, turn) => {
      const { workspaceId } = payload;
      let batches = left.get(workspaceId)!;
      const perform = async (): Promise<boolean> => {
        performed.push(workspaceId);
        return --batches > 0;
      };
      const isDone = await performInTurn(turn, perform);
      left.set(workspaceId, batches);
      return isDone ? undefined : payload;
    });
    for (let n = 0; n < others; n++) {
      left.set(`other${n} 1`, TURNS * BATCHES_OF_TURN);
      await add(`other${n} 1`);
    }
    left.set('victim 1', 1);
    await add('victim 1');
    jobs.start();
    await until(() => performed.length === others * TURNS * BATCHES_OF_TURN + 1);
    expect(performed.indexOf('victim 1')).toBe(others * BATCHES_OF_TURN);
    expect([...left.values()].every((batches) => batches === 0)).toBe(true);
  },
);

test('a long job for which only later ones of its own person wait goes on to its end', async () => {
  const jobs = newJobs();
  const performed: string[] = [];
  jobs.work('publications.cancel', async (payload, turn) => {
    let batches = 0;
    const perform = async (): Promise<boolean> => {
      performed.push(payload.workspaceId);
      return ++batches < 3 * BATCHES_OF_TURN;
    };
    return (await performInTurn(turn, perform)) ? undefined : payload;
  });
  for (const workspaceId of ['a 1', 'a 2'])
    await jobs.queue.enqueue(database.db, 'publications.cancel', { workspaceId, endpointId: 'e' });
  jobs.start();
  await until(() => performed.length === 6 * BATCHES_OF_TURN);
  expect(performed.lastIndexOf('a 1')).toBeLessThan(performed.indexOf('a 2'));
});

test('the rest of a job comes before later jobs of its person, and after a turn of the others', async () => {
  const jobs = newJobs();
  const performed: string[] = [];
  const add = (workspaceId: string, endpointId: string) =>
    jobs.queue.enqueue(database.db, 'publications.cancel', { workspaceId, endpointId });
  jobs.work('publications.cancel', async (payload, turn) => {
    let batches = payload.endpointId === 'long' ? 2 : 1;
    while (batches > 0) {
      performed.push(`${payload.workspaceId} ${payload.endpointId}`);
      batches -= 1;
      let isOver = false;
      for (let n = 0; n < BATCHES_OF_TURN; n++) isOver = await turn.isOver();
      if (isOver && batches > 0) return { ...payload, endpointId: 'rest' };
    }
    return undefined;
  });
  await add('a 1', 'long');
  await add('a 1', 'later');
  await add('a 1', 'last');
  await add('b 1', 'one');
  jobs.start();
  await until(() => performed.length === 5);
  expect(performed).toEqual(['a 1 long', 'b 1 one', 'a 1 rest', 'a 1 later', 'a 1 last']);
});

test('jobs of a person who holds as many as they may keep nobody else waiting', async () => {
  const jobs = newJobs();
  const merge = (workspaceId: string, contactId: string) =>
    jobs.queue.enqueue(database.db, 'contacts.merge', { workspaceId, contactId, instanceIds: [] });
  const slow = Promise.withResolvers<void>();
  const begun: string[] = [];
  let added = 0;
  jobs.work('contacts.merge', async ({ workspaceId, contactId }) => {
    begun.push(`${workspaceId} ${contactId}`);
    if (contactId === 'slow') return slow.promise;
    // Somebody who asks again and again.
    if (workspaceId === 'c 1' && added < 20) {
      added += 1;
      await merge('c 1', `${added}`);
    }
  });
  await merge('a 1', 'slow');
  jobs.start();
  await until(() => begun.length === 1);
  await merge('a 1', 'waits');
  for (let n = 0; n < 3; n++) await merge('b 1', `${n}`);
  await merge('c 1', 'first');
  await until(() => begun.filter((one) => one.startsWith('b')).length === 3);
  const last = begun.findLastIndex((one) => one.startsWith('b'));
  expect(begun.slice(0, last).filter((one) => one.startsWith('c')).length).toBeLessThanOrEqual(3);
  slow.resolve();
  await until(() => begun.includes('a 1 waits') && added === 20);
});
