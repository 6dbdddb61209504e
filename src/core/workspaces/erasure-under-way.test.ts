/** Tests erasures during concurrent writes for the workspace: none of its data is left, whatever the order. */
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { PATIENCE } from '../../../test/support/patience.ts';
import { saveKeyUsage } from '../auth/key-usage.system-store.ts';
import { createTestDatabase, type TestDatabase } from '../../../test/support/db.ts';
import { getBucket } from '../unit/event-writer.ts';
import { newUuid } from '../../platform/http/ids.ts';
import { QUEUES } from '../../app/surfaces.ts';
import { createJobs, type Jobs } from '../../platform/jobs/jobs.ts';
import { completeCalls } from '../../surfaces/models/ledger/completion.ts';
import { unitsFor } from '../../../test/support/events/outbox.ts';
import { eraseDeletedWorkspaces, ERASE_AFTER_SECONDS, eraseWorkspace } from './erasure.ts';

let database: TestDatabase;
let jobs: Jobs;
/** Implementations of the job `contacts.merge`, by contact. */
const works = new Map<string, () => Promise<void>>();

beforeAll(async () => {
  database = await createTestDatabase();
  jobs = createJobs({
    queues: QUEUES,
    pool: database.pool,
    db: database.db,
    log: { ...console, info: () => {} },
    performs: true,
  });
  jobs.work('contacts.merge', async ({ contactId }) => works.get(contactId)!());
  jobs.start();
});
afterAll(async () => {
  await jobs.stop();
  await database.drop();
});

const query = async (text: string, values: unknown[] = []) => (await database.pool.query(text, values)).rows;

const OUTBOX = `insert into outbox (bucket, workspace_id, event_id, type, resource_id, data)
  values ($1, $2, $3, 'tag.updated', null, '{}')`;
const outboxRow = (workspaceId: string): unknown[] => [getBucket(workspaceId), workspaceId, newUuid()];

async function deletedWorkspace(): Promise<string> {
  const id = newUuid();
  await query(
    `insert into workspaces (id, name, slug, deleted_at) values ($1, 'Doomed', $2, now() - interval '2 minutes')`,
    [id, `doomed-${id}`],
  );
  return id;
}

/** How many rows of each table name it. */
async function left(workspaceId: string): Promise<Record<string, number>> {
  const tables = await query(
    `select c.oid::regclass::text as name from pg_class c where c.relkind in ('r', 'p') and not c.relispartition
     and c.relnamespace in ('public'::regnamespace, 'pgboss'::regnamespace)`,
  );
  const found: Record<string, number> = {};
  for (const { name } of tables) {
    const [{ n }] = await query(`select count(*)::int as n from ${name} t where t::text like $1`, [
      `%${workspaceId}%`,
    ]);
    if (n > 0) found[name] = n;
  }
  return found;
}

/**
 * Begins an erasure while another connection holds an uncommitted write, and commits that write once the erasure waits
 * for it.
 */
async function whileHeld(workspaceId: string, work: (run: typeof query) => Promise<void>): Promise<void> {
  const other = await database.pool.connect();
  try {
    await other.query('begin');
    await work(async (text, values) => (await other.query(text, values)).rows);
    const erased = eraseWorkspace({ db: database.db }, { workspaceId });
    await vi.waitFor(
      async () =>
        expect(
          await query(
            `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
             and query like '%delete from%'`,
          ),
        ).toHaveLength(1),
      PATIENCE,
    );
    await other.query('commit');
    await erased;
  } finally {
    other.release();
  }
}

test('an event that the sequencer moves into the log under the last look is not left there', async () => {
  const workspaceId = await deletedWorkspace();
  await query(OUTBOX, outboxRow(workspaceId));
  await whileHeld(workspaceId, async (run) => {
    await run(
      `with taken as (delete from outbox where workspace_id = $1 returning *)
       insert into events (id, workspace_id, sequence, type, data, created_at)
       select event_id, workspace_id, 1, type, data, created_at from taken`,
      [workspaceId],
    );
  });
  expect(await left(workspaceId)).toEqual({});
});

test('neither a row that was being changed nor the event that tells of it is left', async () => {
  const workspaceId = await deletedWorkspace();
  const tag = newUuid();
  await query(
    `insert into tags (workspace_id, id, name, color, created_at, updated_at) values ($1, $2, 'spring', 'red', now(), now())`,
    [workspaceId, tag],
  );
  await whileHeld(workspaceId, async (run) => {
    await run(`update tags set name = 'summer' where workspace_id = $1`, [workspaceId]);
    await run(OUTBOX, outboxRow(workspaceId));
  });
  expect(await left(workspaceId)).toEqual({});
});

/** A job of the workspace that was taken up, and holds no row; it writes when it is let go on. */
async function heldJob(workspaceId: string): Promise<{ goOn: () => void; ended: () => Promise<void> }> {
  const contactId = newUuid();
  const [gate, begun] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let over = false;
  works.set(contactId, async () => {
    begun.resolve();
    await gate.promise;
    await query(OUTBOX, outboxRow(workspaceId));
    await jobs.queue.enqueue(database.db, 'links.contacts', {
      workspaceId,
      contactIds: [contactId],
      to: null,
    });
    over = true;
  });
  await jobs.queue.enqueue(database.db, 'contacts.merge', { workspaceId, contactId, instanceIds: [] });
  await begun.promise;
  return {
    goOn: gate.resolve,
    ended: () => vi.waitFor(() => expect(over).toBe(true), PATIENCE),
  };
}

/** Whether any connection of this database has asked since which jobs are under way. */
const hasLookedForJobs = async (since: Date): Promise<boolean> =>
  (
    await query(
      `select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
       and query like '%started_on <= %' and query_start > $1`,
      [since],
    )
  ).length > 0;

test('what a job writes that was under way when the last row went is erased too', async () => {
  const workspaceId = await deletedWorkspace();
  const job = await heldJob(workspaceId);
  await query(OUTBOX, outboxRow(workspaceId));
  let isOver = false;
  const [{ now }] = await query('select clock_timestamp() as now');
  const erased = eraseWorkspace({ db: database.db }, { workspaceId }).then(() => (isOver = true));
  // It is let go on only once no row is left and the erasure waits for it, or thinks that it is done.
  await vi.waitFor(async () => expect(isOver || (await hasLookedForJobs(now))).toBe(true), PATIENCE);
  job.goOn();
  await job.ended();
  await erased;
  expect(await left(workspaceId)).toEqual({});
});

test('a job that takes longer than an erasure waits keeps its workspace for the next sweep', async () => {
  const workspaceId = await deletedWorkspace();
  const job = await heldJob(workspaceId);
  await query(OUTBOX, outboxRow(workspaceId));
  await eraseWorkspace({ db: database.db, patienceMs: 0 }, { workspaceId });
  expect(await left(workspaceId)).toEqual({ workspaces: 1, 'pgboss.job': 1 });
  job.goOn();
  await job.ended();
  const now = new Date(Date.now() + ERASE_AFTER_SECONDS * 1000);
  expect(await eraseDeletedWorkspaces({ db: database.db }, now)).toBe(1);
  expect(await left(workspaceId)).toEqual({});
});

test('an erasure waits after it has deleted, however long that took', async () => {
  const workspaceId = await deletedWorkspace();
  const other = await database.pool.connect();
  await other.query('begin');
  await other.query('select 1');
  const ends: Promise<unknown>[] = [];
  const eraseFiles = async (): Promise<void> => {
    await delay(600);
    if (!ends.length) ends.push(delay(100).then(() => other.query('commit')));
  };
  try {
    await eraseWorkspace({ db: database.db, eraseFiles, patienceMs: 500 }, { workspaceId });
    expect(await left(workspaceId)).toEqual({});
  } finally {
    await Promise.all(ends);
    other.release();
  }
});

test('jobs of other workspaces, and erasures of them, are not waited for', async () => {
  const [workspaceId, other] = [await deletedWorkspace(), await deletedWorkspace()];
  const job = await heldJob(other);
  // Not 0: a poll of the queues may be under way at the first look.
  await eraseWorkspace({ db: database.db, patienceMs: 5_000 }, { workspaceId });
  expect(await left(workspaceId)).toEqual({});
  job.goOn();
  await job.ended();
  await eraseWorkspace({ db: database.db }, { workspaceId: other });
  expect(await left(other)).toEqual({});
});

test('what a call used that was answered afterwards is not counted', async () => {
  const [gone, other] = [await deletedWorkspace(), newUuid()];
  await query(`insert into workspaces (id, name, slug) values ($1, 'Other', $2)`, [other, `other-${other}`]);
  const call = newUuid();
  for (const workspaceId of [gone, other])
    await query(
      `insert into model_open_calls (workspace_id, id, actor, operation, model, lease_until)
       values ($1, $2, 'key_a', 'embeddings', 'fairlead/echo', now())`,
      [workspaceId, call],
    );
  await eraseWorkspace({ db: database.db }, { workspaceId: gone });
  for (const workspaceId of [gone, other])
    await unitsFor(database.db).write((unit) => completeCalls(unit, workspaceId, new Map([[call, null]])));
  const use = (workspaceId: string) => ({
    workspaceId,
    keyId: newUuid(),
    at: Date.now(),
    ip: '127.0.0.1',
    operation: 'me.get',
  });
  await saveKeyUsage(database.db, [use(gone), use(other)]);
  expect(await left(gone)).toEqual({});
  expect(await left(other)).toEqual({ workspaces: 1, model_calls: 1, model_call_stats: 1, key_usage: 1 });
});
