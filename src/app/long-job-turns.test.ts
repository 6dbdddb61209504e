/**
 * Tests that jobs that walk through all data of a workspace yield after each turn, and continue where they stopped.
 * Here every turn ends after one window, because other jobs always wait.
 */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../test/support/db.ts';
import { TEST_SECRET } from '../../test/support/test-app.ts';
import { createUnits, type Units } from '../core/unit/unit-of-work.ts';
import { eraseWorkspace } from '../core/workspaces/erasure.ts';
import { createSecretBox } from '../platform/crypto/secret-box.ts';
import { newUuid } from '../platform/http/ids.ts';
import { createTurn, type JobTurn } from '../platform/jobs/turn.ts';
import { erasePublicationsFor } from '../surfaces/automation/publications/publication-erasure.ts';
import { eraseRunsFor } from '../surfaces/automation/rules/run-erasure.ts';
import { eraseInMessages } from '../surfaces/messaging/contacts/contact-erasure.ts';
import { executeMerge } from '../surfaces/messaging/contacts/contact-merge.ts';
import { createJobs, type Jobs } from '../platform/jobs/jobs.ts';
import { eraseContactData } from './contact-erasure.ts';
import { QUEUES } from './surfaces.ts';

const MESSAGES = 1_200;
const GROUPS = 3;
const ADDRESS = 'ann@shop.example';

let database: TestDatabase;
/** Performs nothing here: its tables are read. */
let jobs: Jobs;
let workspaceId: string;
let instanceId: string;
let enqueued: { name: string; payload: Record<string, unknown> }[];
let units: Units;

const query = async (text: string, values: unknown[] = []) => (await database.pool.query(text, values)).rows;
const countRows = async (from: string, values: unknown[] = []): Promise<number> =>
  (await query(`select count(*)::int as n from ${from}`, values))[0].n;

beforeAll(async () => {
  database = await createTestDatabase();
  const log = { info() {}, warn() {}, error() {} };
  jobs = createJobs({ queues: QUEUES, pool: database.pool, db: database.db, log, performs: false });
  await jobs.queue.enqueue(database.db, 'media.collect', { workspaceId: newUuid(), sha256: '' });
  units = createUnits({
    db: database.db,
    events: null as never,
    jobs: {
      enqueue: async (_db: unknown, name: string, payload: Record<string, unknown>) =>
        void enqueued.push({ name, payload }),
    } as never,
  });
});
afterAll(async () => {
  await jobs.stop();
  await database.drop();
});
beforeEach(async () => {
  [workspaceId, instanceId] = [newUuid(), newUuid()];
  enqueued = [];
  await query(`insert into workspaces (id, name, slug, created_at) values ($1, 'W', $2, now())`, [
    workspaceId,
    workspaceId,
  ]);
});

async function addChat(kind: 'direct' | 'group', contactId: string | null): Promise<string> {
  const id = newUuid();
  await query(
    `insert into chats (workspace_id, id, instance_id, kind, key, address, contact_id, created_at, updated_at)
     values ($1, $2::uuid, $3, $4, $2::text, $2::text, $5, now(), now())`,
    [workspaceId, id, instanceId, kind, contactId],
  );
  return id;
}

const addMessages = (chatId: string, contactId: string, count = MESSAGES) =>
  query(
    `insert into messages (workspace_id, id, instance_id, chat_id, sequence, direction, source, type, content, from_address,
       contact_id, status, status_history, created_at, updated_at)
     select $1, gen_random_uuid(), $2, $3, n, 'inbound', 'channel', 'text', '{"body": "words"}', $4, $5, 'received', '[]',
       now(), now()
     from generate_series(1, $6::int) n`,
    [workspaceId, instanceId, chatId, ADDRESS, contactId, count],
  );

/**
 * Executes a job turn by turn, each with the payload that the queue stored after the previous one. @returns the
 * number of turns
 */
async function performByTurns<P extends object>(
  payload: P,
  perform: (payload: P, turn: JobTurn) => Promise<P | void>,
  between?: (turn: number) => Promise<void>,
): Promise<number> {
  let left: P | void = payload;
  for (let turns = 1; turns < 200; turns++) {
    let windows = 0;
    const turn: JobTurn = {
      signal: new AbortController().signal,
      isOver: async () => {
        windows += 1;
        return true;
      },
    };
    left = await perform(JSON.parse(JSON.stringify(left)) as P, turn);
    expect(windows).toBeLessThanOrEqual(1);
    if (!left) return turns;
    expect(JSON.stringify(left)).not.toContain(ADDRESS);
    await between?.(turns);
  }
  throw new Error('the job makes no progress');
}

const alias = (from: string, to: string) =>
  query('insert into contact_aliases (workspace_id, id, contact_id) values ($1, $2, $3)', [
    workspaceId,
    from,
    to,
  ]);

test('a merge continues in each turn where the last one ended', async () => {
  const [into, gone] = [newUuid(), newUuid()];
  await addMessages(await addChat('direct', into), gone);
  for (let n = 0; n < GROUPS; n++) await addMessages(await addChat('group', null), gone);
  await addMessages(await addChat('direct', gone), gone);
  await alias(gone, into);
  const payload = { workspaceId, contactId: gone, instanceIds: [instanceId] };
  const turns = await performByTurns(payload, (left, turn) => executeMerge(units, left, turn));
  // Three windows in each of five chats at least.
  expect(turns).toBeGreaterThan(15);
  expect(await countRows('messages where contact_id = $1', [into])).toBe((GROUPS + 2) * MESSAGES);
  expect(await countRows('messages where contact_id = $1', [gone])).toBe(0);
  expect(await countRows('chats where contact_id = $1', [into])).toBe(2);
  expect(enqueued.map(({ name }) => name)).toEqual(['links.contacts']);
});

test.each([1, 3, 6])(
  'a contact that is merged further before write %i gives the last one everything',
  async (nth) => {
    const [into, gone, last] = [newUuid(), newUuid(), newUuid()];
    await addMessages(await addChat('direct', into), gone);
    await addMessages(await addChat('group', null), gone);
    await alias(gone, into);
    let writes = 0;
    const racing: Units = {
      ...units,
      async write(inside, check) {
        if (++writes === nth) {
          await query('update contact_aliases set contact_id = $2 where contact_id = $1', [into, last]);
          await alias(into, last);
          // The further merge passes before this write gives more messages to the contact that is gone.
          await performByTurns({ workspaceId, contactId: into, instanceIds: [instanceId] }, (payload, turn) =>
            executeMerge(units, payload, turn),
          );
        }
        return units.write(inside, check);
      },
    };
    const perform = (payload: Parameters<typeof executeMerge>[1], turn: JobTurn) =>
      executeMerge(racing, payload, turn);
    await performByTurns({ workspaceId, contactId: gone, instanceIds: [instanceId] }, perform);
    for (let job; (job = enqueued.shift());)
      if (job.name === 'contacts.merge') await performByTurns(job.payload as never, perform);
    expect(writes).toBeGreaterThanOrEqual(nth);
    expect(await countRows('messages where contact_id = $1', [last])).toBe(2 * MESSAGES);
  },
);

test('an erasure continues in each turn where the last one ended, and ends with nothing left', async () => {
  const [contact, erasureId] = [newUuid(), newUuid()];
  const chats = [await addChat('direct', contact), await addChat('direct', contact)];
  for (const chat of chats) await addMessages(chat, contact);
  await query('delete from chats where id = any($1)', [chats]);
  const other = await addChat('group', null);
  await addMessages(other, newUuid(), 10);
  await query('update messages set from_address = $2 where chat_id = $1', [other, 'bob@shop.example']);
  for (let n = 0; n < GROUPS; n++) await addMessages(await addChat('group', null), contact);
  await query(
    `insert into events (id, workspace_id, sequence, type, data, created_at)
     select gen_random_uuid(), $1, n, 'contact.updated', jsonb_build_object('object', jsonb_build_object('from', $2::text)), now()
     from generate_series(1, 5000) n`,
    [workspaceId, ADDRESS],
  );
  await query(
    `insert into workspace_sequences (workspace_id, last_sequence) values ($1, 5000)
     on conflict (workspace_id) do update set last_sequence = 5000`,
    [workspaceId],
  );
  await query(
    `insert into contact_erasures (workspace_id, id, contact_ids, chat_ids, identities, event_id, created_at)
     values ($1, $2, array[$3::uuid], $4, $5, $2, now())`,
    [workspaceId, erasureId, contact, chats, JSON.stringify([{ instance_id: instanceId, address: ADDRESS }])],
  );
  const deps = {
    db: database.db,
    units,
    secrets: createSecretBox(TEST_SECRET),
    surfaces: [
      {
        eraseContact: (...[person, turn]: Parameters<typeof erase>) => [
          ...eraseInMessages(units, person, turn),
          erasePublicationsFor(units, person, turn),
        ],
        eraseContactLast: (...[person, turn]: Parameters<typeof erase>) => [
          eraseRunsFor(units, person, turn),
        ],
      },
    ],
  };
  const erase = (person: Parameters<typeof erasePublicationsFor>[1], turn: JobTurn) =>
    erasePublicationsFor(units, person, turn);
  const perform = (payload: { workspaceId: string; erasureId: string }, turn: JobTurn) =>
    eraseContactData(deps, payload, turn);
  expect(await performByTurns({ workspaceId, erasureId }, perform)).toBeGreaterThan(20);
  expect(
    await countRows('messages where workspace_id = $1 and from_address = $2', [workspaceId, ADDRESS]),
  ).toBe(0);
  expect(await countRows('messages where workspace_id = $1', [workspaceId])).toBe(GROUPS * MESSAGES + 10);
  expect(await countRows('messages where chat_id = $1 and content <> $2', [other, '{}'])).toBe(10);
  expect(
    await countRows(`events where workspace_id = $1 and data::text like $2`, [workspaceId, `%${ADDRESS}%`]),
  ).toBe(0);
  // All of it a second time, then nothing names the person.
  expect(enqueued.pop()).toEqual({ name: 'contacts.forget', payload: { workspaceId, erasureId } });
  await performByTurns({ workspaceId, erasureId }, perform);
  expect(await countRows('contact_erasures where workspace_id = $1', [workspaceId])).toBe(0);
});

test('the erasure of a workspace continues in each turn where the last one ended', async () => {
  const contact = newUuid();
  await addMessages(await addChat('direct', contact), contact, 12_000);
  await query('update workspaces set deleted_at = now() where id = $1', [workspaceId]);
  const perform = (payload: { workspaceId: string }, turn: JobTurn) =>
    eraseWorkspace({ db: database.db }, payload, turn);
  // Messages by 5,000, and the chat.
  expect(await performByTurns({ workspaceId }, perform)).toBe(5);
  for (const table of ['messages', 'chats'])
    expect(await countRows(`${table} where workspace_id = $1`, [workspaceId])).toBe(0);
  expect(await countRows('workspaces where id = $1', [workspaceId])).toBe(0);
});

test('a job that another version left at a step of its own begins with the first', async () => {
  const [into, gone] = [newUuid(), newUuid()];
  await addMessages(await addChat('direct', into), gone);
  await alias(gone, into);
  const left = await executeMerge(
    units,
    {
      workspaceId,
      contactId: gone,
      instanceIds: [],
      to: into,
      progress: { step: 'of_another_version', position: 'x' },
    },
    createTurn(new AbortController().signal, async () => false),
  );
  expect(left).toBeUndefined();
  expect(await countRows('messages where contact_id = $1', [into])).toBe(MESSAGES);
});
