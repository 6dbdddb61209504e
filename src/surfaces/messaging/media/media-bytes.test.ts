/** The limit on the bytes of a workspace's media, and their count. */
import { randomUUID } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { PATIENCE } from '../../../../test/support/patience.ts';
import { toUuid } from '../../../core/vocabulary/ids.ts';
import { createTestDatabase } from '../../../../test/support/db.ts';
import { upload } from '../../../../test/support/messaging/media.ts';
import { allowing, startEgress } from '../../../../test/support/egress.ts';
import {
  startTestApp,
  startWorkspace,
  TEST_SECRET,
  type TestApp,
} from '../../../../test/support/test-app.ts';
import { COUNTERS } from '../../../app/surfaces.ts';
import { createQuotas } from '../../../core/workspaces/quota.ts';
import { createSecretBox } from '../../../platform/crypto/secret-box.ts';
import { executeFetch } from './media-fetch.ts';
import { createFromUrl } from './media.service.ts';
import { createMediaUrls } from './media-url.ts';
import { createUnits } from '../../../core/unit/unit-of-work.ts';
import { knownMigrations, migrate, migrateTo } from '../../../platform/db/migrate.ts';
import { deleteUnshown } from '../contacts/contact-trace.store.ts';
import { deletePicture } from '../groups/group.store.ts';
import { addMediaBytes, countMediaBytes } from './media-bytes.store.ts';
import { openMediaFiles } from './open-files.ts';
import { sweepMedia } from './media-sweep.ts';
import { deleteMediaBefore } from './media.store.ts';

const LIMIT = 1_000;
const MANY = 2 * 1024 * 1024;
type Place = Awaited<ReturnType<typeof startWorkspace>>;

let app: TestApp;
let base: string;
const server = http.createServer((request, response) => {
  const bytes = Buffer.alloc(LIMIT + 1, 'x');
  if (request.url === '/announced') response.setHeader('content-length', bytes.length);
  response.flushHeaders();
  response.end(bytes);
});

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  app = await startTestApp({ WORKSPACE_LIMITS: `media_bytes=${LIMIT}`, EGRESS_ALLOW: '127.0.0.1' });
});
afterAll(async () => {
  await app.stop();
  server.closeAllConnections();
  server.close();
});

const usage = async ({ key }: Place) =>
  (await app.call('/usage', { key })).body.resources.find(
    ({ resource }: { resource: string }) => resource === 'media_bytes',
  );
const uploadBytes = (home: Place, bytes: number, headers: Record<string, string> = {}) =>
  upload(app, { key: home.key, headers }, { bytes: 'x'.repeat(bytes) });
const toId = ({ workspace }: Place): string => toUuid('workspace', workspace)!;
/** The sum of the rows themselves. */
const getSum = async (home: Place): Promise<number> =>
  Number(
    (
      await app.database.pool.query(
        'select coalesce(sum(size), 0) as sum from media where workspace_id = $1',
        [toId(home)],
      )
    ).rows[0].sum,
  );

describe('uploads', () => {
  test('are rejected beyond the limit; deletions free space again', async () => {
    const home = await startWorkspace(app);
    const { body } = await uploadBytes(home, 600);
    expect(await usage(home)).toEqual({ resource: 'media_bytes', used: 600, limit: LIMIT });
    const refused = await uploadBytes(home, 401);
    expect([refused.status, refused.body.code]).toEqual([403, 'quota_exceeded']);
    expect(refused.body.detail).toBe(
      'The workspace has 600 of 1000 media bytes. Adding 401 more would exceed the limit.',
    );
    // Objects count, although these share their content.
    expect(await uploadBytes(home, 400)).toHaveStatus(201);
    expect(await usage(home)).toMatchObject({ used: LIMIT });
    await app.call(`/media/${body.id}`, { key: home.key, method: 'DELETE' });
    expect(await usage(home)).toMatchObject({ used: 400 });
    expect(await uploadBytes(home, 600)).toHaveStatus(201);
  });

  test('are refused by their length before their body is sent', async () => {
    const home = await startWorkspace(app);
    const answers = ['/media', '/contacts/import', '/links/import'].map(async (path) => {
      const request = http.request(`${app.base}/api/v1${path}`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${home.key}`,
          'content-type': path === '/media' ? 'multipart/form-data; boundary=x' : 'text/csv',
          'content-length': MANY,
        },
      });
      request.on('error', () => undefined); // it is ended unsent
      request.flushHeaders();
      const response = await new Promise<http.IncomingMessage>((resolve) => request.on('response', resolve));
      const text = (await response.toArray()).join('');
      request.destroy();
      return [response.statusCode, JSON.parse(text).code];
    });
    for (const answer of await Promise.all(answers)) expect(answer).toEqual([403, 'quota_exceeded']);
  });

  test('of unknown length are refused, and files that are imported', async () => {
    const home = await startWorkspace(app);
    const body = `--x\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\n${'x'.repeat(LIMIT + 1)}\r\n--x--\r\n`;
    const response = await fetch(`${app.base}/api/v1/media`, {
      method: 'POST',
      headers: { authorization: `Bearer ${home.key}`, 'content-type': 'multipart/form-data; boundary=x' },
      body: new Blob([body]).stream(),
      duplex: 'half',
    });
    const { code } = (await response.json()) as { code: string };
    expect([response.status, code]).toEqual([403, 'quota_exceeded']);
    const headers = { 'content-type': 'text/csv', 'idempotency-key': randomUUID() };
    const imported = await app.call('/contacts/import', {
      key: home.key,
      body: 'x'.repeat(LIMIT + 1),
      headers,
    });
    expect([imported.status, imported.body.code]).toEqual([403, 'quota_exceeded']);
    expect(await usage(home)).toMatchObject({ used: 0 });
  });

  test('repeated with the same key get the first response again, even without space left', async () => {
    const home = await startWorkspace(app);
    const headers = { 'idempotency-key': 'the same' };
    const first = await uploadBytes(home, LIMIT, headers);
    const again = await uploadBytes(home, LIMIT, headers);
    expect([again.status, again.body.id]).toEqual([201, first.body.id]);
  });

  test('at the same time do not exceed it together', async () => {
    const home = await startWorkspace(app);
    const answers = await Promise.all(Array.from({ length: 10 }, () => uploadBytes(home, 300)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(3);
    expect(answers.filter(({ body }) => body.code === 'quota_exceeded')).toHaveLength(7);
    expect(await usage(home)).toMatchObject({ used: 900 });
  });
});

test.each(['/announced', '/unannounced'])('a file from %s fails with the reason', async (path) => {
  const home = await startWorkspace(app);
  const { status, body } = await app.call('/media', { key: home.key, body: { url: base + path } });
  expect(status).toBe(202);
  await vi.waitFor(async () => {
    const media = (await app.call(`/media/${body.id}`, { key: home.key })).body;
    expect(media).toMatchObject({
      state: 'failed',
      error: {
        code: 'quota_exceeded',
        detail: 'The workspace has 0 of 1000 media bytes. Adding 1001 more would exceed the limit.',
      },
    });
  }, PATIENCE);
  expect(await usage(home)).toMatchObject({ used: 0 });
});

test('a file also fails if the space is used up while it is received', async () => {
  const home = await startWorkspace(app);
  const { db } = app.database;
  const jobs = { enqueue: async () => undefined } as never;
  const units = createUnits({ db, events: {} as never, jobs });
  const secrets = createSecretBox(TEST_SECRET);
  const urls = createMediaUrls(secrets, app.base);
  const actor = { workspaceId: toId(home), id: home.keyId };
  const { id } = await units.write((unit) =>
    createFromUrl(unit, { secrets, urls }, actor, { url: `${base}/announced` }),
  );
  const files = openMediaFiles(app.config, { units, log: app.app.server.log });
  const egress = startEgress({ allow: allowing('127.0.0.1') });
  const quotas = { ...createQuotas({ media_bytes: LIMIT }, COUNTERS), check: async () => undefined };
  const payload = { workspaceId: actor.workspaceId, id: toUuid('media', id)!, tried: 0 };
  const deps = { units, secrets, files, quotas, dispatcher: egress.dispatcher };
  await executeFetch(deps, payload, new AbortController().signal);
  await files.close();
  const media = (await app.call(`/media/${id}`, { key: home.key })).body;
  expect(media).toMatchObject({ state: 'failed', error: { code: 'quota_exceeded' } });
  expect(await usage(home)).toMatchObject({ used: 0 });
});

describe('the count', () => {
  test('is right after each way of deletion', async () => {
    const home = await startWorkspace(app);
    const workspaceId = toId(home);
    const ids: string[] = [];
    for (const bytes of [10, 20, 30, 40])
      ids.push(toUuid('media', (await uploadBytes(home, bytes)).body.id)!);
    const { db } = app.database;
    const expectBytes = async (bytes: number) =>
      expect([await countMediaBytes(db, workspaceId), await getSum(home)]).toEqual([bytes, bytes]);
    await expectBytes(100);
    await deleteUnshown(db, workspaceId, [ids[1]!]);
    await expectBytes(80);
    await deletePicture(db, workspaceId, ids[2]!, home.keyId);
    await expectBytes(50);
    await db.transaction().execute((tx) => deleteMediaBefore(tx, workspaceId, ids[3]!, 10));
    await expectBytes(40);
  });

  test('includes concurrent transactions, even on the same row, but not those rolled back', async () => {
    const workspaceId = randomUUID();
    const { db } = app.database;
    const add = (bytes: number) =>
      db.transaction().execute(async (tx) => {
        await addMediaBytes(tx, workspaceId, bytes);
        await addMediaBytes(tx, workspaceId, 1);
        if (bytes % 5 === 0) throw new Error('rolled back');
      });
    let expected = 0;
    for (let bytes = 1; bytes <= 300; bytes++) if (bytes % 5) expected += bytes + 1;
    const ended = await Promise.allSettled(Array.from({ length: 300 }, (_, index) => add(index + 1)));
    expect(ended.filter(({ status }) => status === 'rejected')).toHaveLength(60);
    expect(await countMediaBytes(db, workspaceId)).toBe(expected);
    const { rows } = await app.database.pool.query('select from media_bytes where workspace_id = $1', [
      workspaceId,
    ]);
    expect(rows.length).toBeLessThanOrEqual(2 * app.database.pool.options.max);
  });

  test('is corrected by the sweep if a server of an earlier version wrote media', async () => {
    const home = await startWorkspace(app);
    const { id } = (await uploadBytes(home, 500)).body;
    const { pool, db } = app.database;
    await pool.query('update media set size = 700 where workspace_id = $1 and id = $2', [
      toId(home),
      toUuid('media', id),
    ]);
    const units = createUnits({ db, events: {} as never, jobs: {} as never });
    await using files = Object.assign(openMediaFiles(app.config, { units, log: app.app.server.log }), {
      [Symbol.asyncDispose]: () => files.close(),
    });
    for (let times = 0; times < 2; times++) {
      await sweepMedia(units, files, new Date(0));
      expect(await usage(home)).toMatchObject({ used: 700 });
    }
  });

  test('starts with the media stored by an earlier version', async () => {
    const known = await knownMigrations();
    const database = await createTestDatabase('template0');
    try {
      await migrateTo(database.db, known.slice(0, known.indexOf('0039_media_bytes')));
      const workspaces = [randomUUID(), randomUUID(), randomUUID()];
      for (const [nth, state, size] of [
        [0, 'ready', 2 ** 31 - 1],
        [0, 'ready', 5],
        [1, 'ready', 7],
        [2, 'pending', null],
      ] as const)
        await database.pool.query(
          `insert into media (workspace_id, id, state, size, mime_type, sha256, created_by, created_at, updated_at)
           values ($1, $2, $3, $4, 'text/plain', '', 'key_a', now(), now())`,
          [workspaces[nth], randomUUID(), state, size],
        );
      await migrate(database.db);
      const counts = workspaces.map((id) => countMediaBytes(database.db, id));
      expect(await Promise.all(counts)).toEqual([2 ** 31 + 4, 7, 0]);
    } finally {
      await database.drop();
    }
  });
});
