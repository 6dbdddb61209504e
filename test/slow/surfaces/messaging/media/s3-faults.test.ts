/** Media in S3 where the store goes away, breaks off, or dies in the midst of something. */
import { randomBytes, randomUUID } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type CuttingProxy, startCuttingProxy } from '../../../../support/cutting-proxy.ts';
import { type S3Server, startS3 } from '../../../../support/s3-server.ts';
import { startTestApp, startWorkspace, type TestApp } from '../../../../support/test-app.ts';
import { createS3Client } from '../../../../../src/platform/storage/s3/s3-client.ts';
import { temporaryFolder } from '../../../../support/temporary-folder.ts';
import { createUnits } from '../../../../../src/core/unit/unit-of-work.ts';
import { getKey } from '../../../../../src/surfaces/messaging/media/media-files.ts';
import { sweepMedia } from '../../../../../src/surfaces/messaging/media/media-sweep.ts';
import { openMediaFiles } from '../../../../../src/surfaces/messaging/media/open-files.ts';
import { createS3Files } from '../../../../../src/surfaces/messaging/media/s3-files.ts';
import { getFiles, PNG, upload } from '../../../../support/messaging/media.ts';

let s3: S3Server;
let proxy: CuttingProxy;
let app: TestApp;
let home: Awaited<ReturnType<typeof startWorkspace>>;
const source = http.createServer((_request, response) => response.end(PNG)).listen(0, '127.0.0.1');

beforeAll(async () => {
  s3 = await startS3();
  proxy = await startCuttingProxy(s3.port);
  app = await startTestApp({ S3_URL: s3.url({ port: proxy.port }), EGRESS_ALLOW: '127.0.0.1' });
  home = await startWorkspace(app);
});
afterAll(async () => {
  await app.stop();
  await proxy.stop();
  await s3.stop();
  source.close();
});

const call = (path: string, options: object = {}) => app.call(path, { key: home.key, ...options });
const rows = async (): Promise<number> =>
  Number((await app.database.pool.query('select count(*) from media')).rows[0].count);
const toBytes = async (id: string): Promise<Buffer> => {
  const headers = { authorization: `Bearer ${home.key}` };
  return Buffer.from(
    await (await fetch(`${app.base}/api/v1/media/${id}/content`, { headers })).arrayBuffer(),
  );
};
const readiness = async () => {
  const response = await fetch(`${app.base}/readyz`);
  const { status, checks } = (await response.json()) as { status: string; checks: object };
  return { answered: response.status, status, checks };
};

test('a store that is away makes what needs it wait; the rest goes on', async () => {
  const { body: kept } = await upload(app, home, { bytes: PNG });
  await vi.waitFor(async () => expect((await readiness()).checks).toMatchObject({ media: 'ok' }), 15_000);
  await s3.kill();
  const before = await rows();
  const refused = await upload(app, home, { bytes: randomBytes(1000) });
  expect([refused.status, refused.body.code, refused.headers.get('retry-after')]).toEqual([
    503,
    'unavailable',
    '10',
  ]);
  expect(await rows()).toBe(before);
  const content = await call(`/media/${kept.id}/content`);
  expect([content.status, content.headers.get('retry-after')]).toEqual([503, '10']);
  expect((await call('/media')).body.data).toContainEqual(expect.objectContaining({ id: kept.id }));
  const { body: doomed } = await call(`/media/${kept.id}`);
  expect(doomed.state).toBe('ready');
  await vi.waitFor(
    async () =>
      expect(await readiness()).toMatchObject({
        answered: 200,
        status: 'degraded',
        checks: { database: 'ok', media: 'degraded' },
      }),
    20_000,
  );
  // Deleted while it is away: the bytes go when it is back.
  expect(await call(`/media/${kept.id}`, { method: 'DELETE' })).toHaveStatus(204);
  await s3.start();
  expect(await upload(app, home, { bytes: PNG, name: 'back.png' })).toHaveStatus(201);
  await vi.waitFor(async () => expect((await readiness()).checks).toMatchObject({ media: 'ok' }), 20_000);
  expect(app.logged.join('')).toContain('S3_URL');
  expect(app.logged.join('')).not.toContain('S3RVER');
});

test('a store that dies in the midst of an upload leaves no row, and nothing that can be read', async () => {
  const bytes = randomBytes(8_000_000);
  const [before, files] = [await rows(), await getFiles(app)];
  const cuts = proxy.cuts();
  proxy.cutAfter('up', 3_000_000, s3.kill);
  const refused = await upload(app, home, { bytes });
  expect([refused.status, refused.body.code, proxy.cuts()]).toEqual([503, 'unavailable', cuts + 1]);
  expect(await rows()).toBe(before);
  await s3.start();
  // This store keeps the half that came; others keep nothing. Either way no row refers to it.
  const units = createUnits({ db: app.database.db, events: {} as never, jobs: {} as never });
  const media = openMediaFiles(app.config, { units, log: app.app.server.log });
  await sweepMedia(units, media, new Date(Date.now() + 7_200_000));
  await media.close();
  expect(await getFiles(app)).toEqual(files);
  // And where the half is still there, it is not taken for the whole.
  proxy.cutAfter('up', 3_000_000, s3.kill);
  expect(await upload(app, home, { bytes })).toHaveStatus(503);
  await s3.start();
  const { status, body } = await upload(app, home, { bytes });
  expect(status).toBe(201);
  expect((await toBytes(body.id)).equals(bytes)).toBe(true);
});

test('a line that breaks amid an upload or a download is made anew', async () => {
  const bytes = randomBytes(8_000_000);
  const cuts = proxy.cuts();
  proxy.cutAfter('up', 3_000_000);
  const { status, body } = await upload(app, home, { bytes });
  expect([status, proxy.cuts()]).toEqual([201, cuts + 1]);
  proxy.cutAfter('down', 3_000_000);
  expect((await toBytes(body.id)).equals(bytes)).toBe(true);
  expect(proxy.cuts()).toBe(cuts + 2);
});

describe('what was sent', () => {
  test('and got no row is removed at once', async () => {
    const bytes = randomBytes(500);
    const caller = { key: home.key, headers: { 'idempotency-key': 'one' } };
    const { body } = await upload(app, caller, { bytes });
    const holds = async () => (await getFiles(app)).filter((path) => path.endsWith(body.sha256)).length;
    expect(await holds()).toBe(1);
    await call(`/media/${body.id}`, { method: 'DELETE' });
    await vi.waitFor(async () => expect(await holds()).toBe(0), 15_000);
    const again = await upload(app, caller, { bytes });
    expect([again.status, again.body.id]).toEqual([201, body.id]);
    await vi.waitFor(async () => expect(await holds()).toBe(0));
  });

  test('and vanished before its row was written is sent again', async () => {
    await using folder = await temporaryFolder();
    const client = createS3Client(app.config.S3_URL!);
    const abandoned = vi.fn<() => Promise<void>>(async () => undefined);
    const files = createS3Files({ client, spool: folder.path, log: app.app.server.log, abandoned });
    const bytes = randomBytes(500);
    const received = await files.receive(Readable.from([bytes]), null);
    const workspace = randomUUID();
    const key = getKey(workspace, received.sha256.toString('hex'));
    await received.bring(workspace);
    await client.remove(key);
    await received.adopt(workspace);
    expect(await client.getSize(key)).toBe(500);
    await received.discard();
    expect(abandoned).not.toHaveBeenCalled();
    await files.removeWorkspace(workspace);
    expect(await client.getSize(key)).toBeNull();
    await files.close();
  });
});

test('what is fetched from an address lies there too, and waits for a store that is away', async () => {
  const url = `http://127.0.0.1:${(source.address() as AddressInfo).port}/dot.png`;
  const place = await startWorkspace(app);
  const get = async (id: string) => (await app.call(`/media/${id}`, { key: place.key })).body;
  await s3.kill();
  const { body } = await app.call('/media', { key: place.key, body: { url } });
  await vi.waitFor(async () =>
    expect(await get(body.id)).toMatchObject({ state: 'pending', error: { code: 'unavailable' } }),
  );
  await s3.start();
  await vi.waitFor(async () =>
    expect(await get(body.id)).toMatchObject({ state: 'ready', mime_type: 'image/png', error: null }),
  );
  expect(
    (await getFiles(app)).filter((path) => path.endsWith(/[0-9a-f]{64}/.exec(path)?.[0] ?? '-')),
  ).not.toEqual([]);
});
