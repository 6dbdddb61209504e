import pg from 'pg';
import { Registry } from 'prom-client';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { makeAhead } from '../../platform/db/partitions.ts';
import { createTestDatabase, type TestDatabase } from '../../../test/support/db.ts';
import { newUuid } from '../../platform/http/ids.ts';
import * as events from './event.store.ts';
import { getBucket } from '../unit/event-writer.ts';
import { createSequencer, type Sequencer, type SequencerDeps } from './sequencer.ts';
import { BUCKET_LOCKS } from './sequencer.system-store.ts';
import { unitsFor, until, writeEvent } from '../../../test/support/events/outbox.ts';
import { soak } from '../../../test/support/events/soak.ts';

let test: TestDatabase;
const running: Sequencer[] = [];
const errors: string[] = [];

function start(more: Partial<SequencerDeps> = {}): Sequencer {
  const sequencer = createSequencer({
    db: test.db,
    log: { info() {}, error: (_details, message) => errors.push(message) },
    ...more,
  });
  sequencer.start();
  running.push(sequencer);
  return sequencer;
}

const getMarks = async (workspaceId: string): Promise<(string | null)[]> =>
  (await events.listAfter(test.db, workspaceId, 0, 1000, { types: null })).map((row) => row.resource_id);
const getSequences = async (workspaceId: string): Promise<number[]> =>
  (await events.listAfter(test.db, workspaceId, 0, 1000, { types: null })).map((row) => row.sequence);
const upTo = (n: number): number[] => Array.from({ length: n }, (_, index) => index + 1);

beforeAll(async () => {
  test = await createTestDatabase();
  await makeAhead(test.db, 'events', 1, new Date());
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((sequencer) => sequencer.stop()));
  await test.pool.query('delete from outbox');
  errors.length = 0;
});
afterAll(() => test.drop());

describe('sequencer', () => {
  it('numbers each workspace by itself, 1, 2, 3 …, in the order of writing', async () => {
    const [a, b] = [newUuid(), newUuid()];
    const units = unitsFor(test.db);
    const marks: string[] = [];
    for (let n = 0; n < 5; n++) {
      marks.push(await writeEvent(units, a));
      await writeEvent(units, b);
    }
    start();
    await until(async () => (await getMarks(a)).length + (await getMarks(b)).length === 10);
    expect(await getMarks(a)).toEqual(marks);
    expect(await getSequences(b)).toEqual(upTo(5));
    expect(await events.getBounds(test.db, a)).toEqual({ last: 5, expiredThrough: 0 });
  });

  it('takes a late commit after what was there before it, and nothing of a rollback', async () => {
    const workspace = newUuid();
    start();
    let commit = (): void => {};
    const held = new Promise<void>((resolve) => (commit = resolve));
    const units = unitsFor(test.db);
    const late = units.write(async (unit) => {
      await unit.events.write(unit, { workspaceId: workspace, type: 'ping', resourceId: 'late', object: {} });
      await held;
    });
    const undone = units.write(async (unit) => {
      await unit.events.write(unit, {
        workspaceId: workspace,
        type: 'ping',
        resourceId: 'undone',
        object: {},
      });
      throw new Error('undo');
    });
    await expect(undone).rejects.toThrow('undo');
    const early = await writeEvent(units, workspace);
    await until(async () => (await getMarks(workspace)).length === 1);
    commit();
    await late;
    await until(async () => (await getMarks(workspace)).length === 2);
    expect(await getMarks(workspace)).toEqual([early, 'late']);
    expect(await getSequences(workspace)).toEqual([1, 2]);
  });

  it('does all of a backlog, several workspaces of one bucket included', async () => {
    const workspace = newUuid();
    let other = newUuid();
    while (getBucket(other) !== getBucket(workspace)) other = newUuid();
    await test.pool.query(
      `insert into outbox (bucket, workspace_id, event_id, type, resource_id, data)
       select $1, case when n % 3 = 0 then $2::uuid else $3::uuid end, gen_random_uuid(), 'ping', n::text, '{}' from generate_series(1, 3000) n`,
      [getBucket(workspace), workspace, other],
    );
    start();
    await until(async () => (await events.getBounds(test.db, other)).last === 2000);
    await until(async () => (await events.getBounds(test.db, workspace)).last === 1000);
    expect(await getSequences(workspace)).toEqual(upTo(1000));
    const marks = (await getMarks(workspace)).map(Number);
    expect(marks).toEqual(marks.toSorted((x, y) => x - y));
  });

  it('lets a row that the log cannot take stand aside, and keeps the rest without a hole', async () => {
    const workspace = newUuid();
    const units = unitsFor(test.db);
    start();
    await writeEvent(units, workspace);
    await until(async () => (await getMarks(workspace)).length === 1);
    const [first] = await events.listAfter(test.db, workspace, 0, 1, { types: null });
    await running[0]!.stop();
    await writeEvent(units, workspace);
    await test.pool.query(
      `insert into outbox (bucket, workspace_id, event_id, type, data) values ($1, $2, $3, 'ping', '{"twice": true}')`,
      [getBucket(workspace), workspace, first!.id],
    );
    await writeEvent(units, workspace);
    start();
    await until(async () => (await getMarks(workspace)).length === 3);
    expect(await getSequences(workspace)).toEqual([1, 2, 3]);
    const { rows } = await test.pool.query('select event_id, data, error from outbox_rejected');
    expect(rows).toEqual([
      { event_id: first!.id, data: { twice: true }, error: expect.stringContaining('duplicate key') },
    ]);
    expect(errors).toHaveLength(1);
  });

  it('takes an ID outside every partition', async () => {
    const workspace = newUuid();
    await test.pool.query(
      `insert into outbox (bucket, workspace_id, event_id, type, data) values ($1, $2, 'ffffffff-ffff-7fff-8fff-ffffffffffff', 'ping', '{}')`,
      [getBucket(workspace), workspace],
    );
    start();
    await until(async () => (await getSequences(workspace)).length === 1);
    const { rows } = await test.pool.query(
      'select tableoid::regclass::text as at from events where workspace_id = $1',
      [workspace],
    );
    expect(rows).toEqual([{ at: 'events_default' }]);
  });

  it('enters events and what follows from them together, or neither', async () => {
    const workspace = newUuid();
    await test.pool.query('create table if not exists followed (event_id uuid, sequence bigint)');
    let fails = 3;
    start({
      async fanOut(tx, sequenced) {
        for (const { id, sequence } of sequenced)
          await tx
            .insertInto('followed' as never)
            .values({ event_id: id, sequence })
            .execute();
        if (fails-- > 0) throw new Error('no');
      },
    });
    await writeEvent(unitsFor(test.db), workspace);
    await until(async () => (await getSequences(workspace)).length === 1);
    const { rows } = await test.pool.query(
      'select f.sequence from followed f join events e on e.id = f.event_id',
    );
    expect(rows).toEqual([{ sequence: 1 }]);
    expect((await test.pool.query('select count(*) as n from followed')).rows[0].n).toBe(1);
    expect(fails).toBe(-1);
    expect(errors).toHaveLength(1);
  });

  it('loses and doubles nothing when one is killed between lock and commit', async () => {
    const workspace = newUuid();
    const units = unitsFor(test.db);
    const marks = [await writeEvent(units, workspace), await writeEvent(units, workspace)];
    const victim = new pg.Client({ ...test.connection });
    victim.on('error', () => {});
    await victim.connect();
    const { rows } = await victim.query('select pg_backend_pid() as pid');
    await victim.query('begin');
    const { rows: locks } = await victim.query('select pg_try_advisory_xact_lock($1, $2) as got', [
      BUCKET_LOCKS,
      getBucket(workspace),
    ]);
    expect(locks[0].got).toBe(true);
    await victim.query('delete from outbox where workspace_id = $1', [workspace]);
    await victim.query('insert into workspace_sequences values ($1, 2)', [workspace]);
    start();
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(await getMarks(workspace)).toEqual([]);
    await test.pool.query('select pg_terminate_backend($1)', [rows[0].pid]);
    await until(async () => (await getMarks(workspace)).length === 2);
    expect(await getMarks(workspace)).toEqual(marks);
    expect(await getSequences(workspace)).toEqual([1, 2]);
    await victim.end();
  });

  it('tells how far it lags', async () => {
    const registry = new Registry();
    const idle = createSequencer({ db: test.db, log: { info() {}, error() {} }, registry });
    await writeEvent(unitsFor(test.db), newUuid());
    await new Promise((resolve) => setTimeout(resolve, 20));
    const { waiting, seconds } = await idle.lag();
    expect(waiting).toBe(1);
    expect(seconds).toBeGreaterThanOrEqual(0.02);
    expect(await registry.metrics()).toMatch(/fairlead_outbox_waiting 1\n/);
  });

  it('gives a follower every commit once and in order, with two at once and connections cut', async () => {
    const result = await soak({
      db: test.db,
      seconds: 1,
      least: 500,
      disturb: async () => {
        if (Math.random() < 0.2)
          await test.pool.query(
            `select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and classid = $1 and pid <> pg_backend_pid()
               and database = (select oid from pg_database where datname = current_database()) limit 1`,
            [BUCKET_LOCKS],
          );
      },
    });
    expect(result.faults).toEqual([]);
    expect(result.read).toBe(result.committed);
  });
});
