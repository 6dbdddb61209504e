/** Tests that long imports take turns; progress is counted in batches. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../test/support/db.ts';
import { createEventWriter } from '../unit/event-writer.ts';
import { createUnits, type Units } from '../unit/unit-of-work.ts';
import { executeImport, type ImportKind, startImport } from './import-job.ts';
import type { ImportFiles } from './import-files.ts';
import type { JobPayloads } from '../../platform/jobs/job-queue.ts';
import { newUuid } from '../../platform/http/ids.ts';
import { publicId } from '../vocabulary/ids.ts';
import type { JobTurn } from '../../platform/jobs/turn.ts';
import { makeTurn } from '../../../test/support/job-turns.ts';
import { insertWorkspace } from '../../../test/support/links/redirect.ts';

type Payload = JobPayloads['contacts.import'];

const LINES = 12_000;
let database: TestDatabase;
let units: Units;
const enqueued: Payload[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  units = createUnits({
    db: database.db,
    events: createEventWriter(() => {}),
    jobs: { enqueue: async (_db, _name, payload) => void enqueued.push(payload as Payload) },
  });
});
afterAll(() => database.drop());

/** Starts an import of a file with `LINES` lines whose first job is enqueued. */
async function start(getActor: (workspaceId: string) => Promise<string> | string = () => 'usr_a') {
  enqueued.length = 0;
  const workspaceId = await insertWorkspace(database);
  const file = { id: 'file', isOwn: false };
  const id = await getActor(workspaceId);
  await units.write((unit) =>
    startImport(unit, { workspaceId, id } as never, 'contacts.import', file as never, {
      instanceId: null,
    }),
  );
  const text = `address\n${Array.from({ length: LINES }, (_, n) => `a${n}\n`).join('')}`;
  const files = {
    whenRoom: async () => {},
    open: async () => ({
      size: text.length,
      read: async () => ({
        async *[Symbol.asyncIterator]() {
          yield Buffer.from(text);
        },
        close: async () => {},
      }),
    }),
  } as unknown as ImportFiles;
  const taken: string[] = [];
  const kind: ImportKind<Payload> = {
    name: 'contacts.import',
    columns: {
      known: new Map([['address', 'address']]),
      passedOver: new Set(),
      required: { column: 'address', description: 'address' },
    },
    async take(_unit, _payload, lines) {
      taken.push(...lines.map(({ cells }) => cells['address']!));
      return { created: lines.length, updated: 0, unchanged: 0 };
    },
  };
  const perform = async (turn?: JobTurn) => {
    const left = await executeImport({ units, files }, kind, enqueued.shift()!, turn);
    if (left) enqueued.push(left);
  };
  const getState = async () => {
    const { rows } = await database.pool.query(
      'select state, result, error from jobs where workspace_id = $1',
      [workspaceId],
    );
    return rows[0] as { state: string; result: { created: number } | null; error: { code: string } | null };
  };
  return { perform, taken, getState };
}

test('an import goes on behind its turns, and takes each line once', async () => {
  const { perform, taken, getState } = await start();
  const counts = [];
  for (let turns = 0; enqueued.length > 0; turns++) {
    expect(turns).toBeLessThan(10);
    await perform(makeTurn(25));
    counts.push(taken.length);
  }
  expect(counts).toEqual([5_000, 10_000, LINES]);
  expect(new Set(taken).size).toBe(LINES);
  expect(await getState()).toMatchObject({ state: 'succeeded', result: { created: LINES } });
});

test('an import for which nobody waits takes one turn', async () => {
  const { perform, taken, getState } = await start();
  await perform();
  expect([taken.length, enqueued.length, (await getState()).state]).toEqual([LINES, 0, 'succeeded']);
});

test('two jobs that go on with the same import take no line twice', async () => {
  const { perform, taken, getState } = await start();
  enqueued.push(enqueued[0]!);
  await Promise.all([perform(), perform()]);
  expect(new Set(taken).size).toBe(taken.length);
  expect([taken.length, (await getState()).state]).toEqual([LINES, 'succeeded']);
});

test.each([
  ['an expired key', "expires_at = now() - interval '1 s'"],
  ['a revoked key', 'revoked_at = now()'],
])('an import of %s ends before its next lines', async (_name, change) => {
  const keyId = newUuid();
  const { perform, taken, getState } = await start(async (workspaceId) => {
    await database.pool.query(
      `insert into api_keys (workspace_id, id, name, prefix, last4, scopes, created_by, created_at, updated_at)
       values ($1, $2, 'k', 'fl', '0000', '{}', 'usr_a', now(), now())`,
      [workspaceId, keyId],
    );
    return publicId('api_key', keyId);
  });
  await perform(makeTurn(25));
  expect(taken).toHaveLength(5_000);
  await database.pool.query(`update api_keys set ${change} where id = $1`, [keyId]);
  await perform();
  expect(taken).toHaveLength(5_000);
  expect(await getState()).toMatchObject({ state: 'failed', error: { code: 'access_ended' } });
});

test('an import of somebody who is no member ends', async () => {
  const { perform, taken, getState } = await start(() => publicId('user', newUuid()));
  await perform();
  expect(taken).toEqual([]);
  expect(await getState()).toMatchObject({ state: 'failed', error: { code: 'access_ended' } });
});
