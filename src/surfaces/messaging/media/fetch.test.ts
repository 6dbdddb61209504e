/** Tests how the fetch job handles every kind of response from a media URL. */
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createSecretBox } from '../../../platform/crypto/secret-box.ts';
import { createUnits } from '../../../core/unit/unit-of-work.ts';
import { createQuotas } from '../../../core/workspaces/quota.ts';
import { allowing, startEgress } from '../../../../test/support/egress.ts';
import { toUuid } from '../../../core/vocabulary/ids.ts';
import {
  startTestApp,
  startWorkspace,
  TEST_SECRET,
  type TestApp,
} from '../../../../test/support/test-app.ts';
import { giveUpFetch, executeFetch } from './media-fetch.ts';
import { createLocalFiles } from './local-files.ts';
import { MAX_BYTES } from './media-files.ts';
import { getFiles, PNG, reachable } from '../../../../test/support/messaging/media.ts';

let app: TestApp;
let home: Awaited<ReturnType<typeof startWorkspace>>;
let base: string;
const asked = new Map<string, number>();

const server = http.createServer((request, response) => {
  const path = request.url!.split('?')[0]!;
  const times = (asked.get(path) ?? 0) + 1;
  asked.set(path, times);
  const to = (location: string) => response.writeHead(302, { location }).end('moved');
  const hop = /^\/hop\/(\d+)$/.exec(path);
  if (hop) return to(hop[1] === '0' ? '/pictures/dot%20one.png' : `/hop/${Number(hop[1]) - 1}`);
  switch (path) {
    case '/pictures/dot%20one.png':
      return response.writeHead(200, { 'content-type': 'text/html' }).end(PNG);
    case '/to-metadata':
      return to('http://169.254.169.254/latest/meta-data');
    case '/to-file':
      return to('file:///etc/passwd');
    case '/to-nowhere':
      return response.writeHead(302).end();
    case '/gone':
      return response.writeHead(404).end('no');
    case '/later':
      return times === 1 ? response.writeHead(503).end() : response.end('at last');
    case '/never':
      return response.writeHead(500).end();
    case '/empty':
      return response.end();
    case '/zipped':
      return response.writeHead(200, { 'content-encoding': 'gzip' }).end('x');
    case '/announces-much':
      return response.writeHead(200, { 'content-length': String(MAX_BYTES + 1) }).end();
    case '/sends-much': {
      const chunk = Buffer.alloc(1024 * 1024);
      let sent = 0;
      const more = (): void => {
        while (sent++ < 66) if (!response.write(chunk)) return void response.once('drain', more);
        response.end();
      };
      return more();
    }
    case '/half':
      response.writeHead(200, { 'content-length': '1000' }).write('half');
      return setImmediate(() => response.destroy());
    default:
      return response.writeHead(404).end();
  }
});

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  app = await startTestApp({ EGRESS_ALLOW: '127.0.0.1' });
  home = await startWorkspace(app);
});
afterAll(async () => {
  await app.stop();
  server.closeAllConnections();
  server.close();
});

const create = (path: string, more: object = {}) =>
  app.call('/media', { key: home.key, body: { url: base + path, ...more } });
const get = async (id: string) => (await app.call(`/media/${id}`, { key: home.key })).body;
async function started(path: string, more: object = {}): Promise<string> {
  const { status, body } = await create(path, more);
  expect([status, body.state]).toEqual([202, 'pending']);
  return body.id;
}
const settled = (id: string) =>
  vi.waitFor(async () => {
    const media = await get(id);
    expect(media.state).not.toBe('pending');
    return media;
  });

/** Fetched at the same time, because each waits up to a second for its job. */
const FAILING = [
  ['/gone', 'address_answered'],
  ['/hop/6', 'too_many_redirects'],
  ['/to-metadata', 'address_not_allowed'],
  ['/to-file', 'invalid_redirect'],
  ['/to-nowhere', 'invalid_redirect'],
  ['/empty', 'empty'],
  ['/zipped', 'invalid_answer'],
  ['/announces-much', 'payload_too_large'],
  ['/sends-much', 'payload_too_large'],
] as const;

describe('an address', () => {
  test('is fetched after the answer', async () => {
    const media = await settled(await started('/hop/2?token=hush', { metadata: { a: 'b' } }));
    expect(media).toMatchObject({
      state: 'ready',
      mime_type: 'image/png',
      size: PNG.length,
      file_name: 'dot one.png',
      metadata: { a: 'b' },
      error: null,
    });
    const content = await fetch(reachable(app, media.url));
    expect(Buffer.from(await content.arrayBuffer())).toEqual(PNG);
    expect(app.logged.join('')).not.toContain('hush');
    const { rows } = await app.database.pool.query('select media::text as row from media');
    expect(JSON.stringify(rows)).not.toContain('hush');
    const jobs = await app.database.pool.query('select data::text from pgboss.job');
    expect(JSON.stringify(jobs.rows)).not.toContain('hush');
  });

  test('keeps the name that it was given', async () => {
    expect((await settled(await started('/hop/0', { file_name: '../mine.png' }))).file_name).toBe('mine.png');
  });

  test('is tried again where that may help, and says so meanwhile', async () => {
    const media = await settled(await started('/later'));
    expect(media).toMatchObject({ state: 'ready', mime_type: 'text/plain', size: 7, error: null });
    expect(asked.get('/later')).toBe(2);
    const { body } = await create('/never');
    await vi.waitFor(async () =>
      expect(await get(body.id)).toMatchObject({
        state: 'pending',
        error: { code: 'address_answered', detail: 'The URL responded with 500.' },
      }),
    );
    const content = await app.call(`/media/${body.id}/content`, { key: home.key });
    expect([content.status, content.body.code]).toEqual([409, 'conflict']);
    expect(await fetch(reachable(app, body.url))).toHaveStatus(409);
    // The file is deleted during the fetch: the job finds nothing to do.
    expect(await app.call(`/media/${body.id}`, { key: home.key, method: 'DELETE' })).toHaveStatus(204);
  });

  describe('fails at once', () => {
    const ids = new Map<string, string>();
    beforeAll(async () => {
      await Promise.all(FAILING.map(async ([path]) => ids.set(path, await started(path))));
    });

    test.each(FAILING)('%s: %s', async (path, code) => {
      const media = await settled(ids.get(path)!);
      expect(media).toMatchObject({ state: 'failed', url: null, url_expires_at: null, error: { code } });
      expect(media.size).toBeNull();
      expect(await app.call(`/media/${media.id}/content`, { key: home.key })).toHaveStatus(409);
    });

    test('and leaves no partial file', async () => {
      for (const id of ids.values()) await settled(id);
      expect((await getFiles(app)).filter((one) => one.startsWith('incoming'))).toEqual([]);
    });
  });

  test('that breaks off amid its answer leaves nothing', async () => {
    const { body } = await create('/half');
    await vi.waitFor(async () =>
      expect(await get(body.id)).toMatchObject({ error: { code: 'connection_reset' } }),
    );
    expect((await getFiles(app)).filter((one) => one.startsWith('incoming'))).toEqual([]);
    await app.call(`/media/${body.id}`, { key: home.key, method: 'DELETE' });
  });

  test.each([
    ['http://10.0.0.1/x', 422, 'address_not_allowed'],
    ['http://[::ffff:10.0.0.1]/x', 422, 'address_not_allowed'],
    ['ftp://example.com/x', 400, 'invalid_request'],
    ['http://a:b@example.com/x', 400, 'invalid_request'],
  ])('%s is refused before anything is kept', async (url, status, code) => {
    const answer = await app.call('/media', { key: home.key, body: { url } });
    expect([answer.status, answer.body.code, answer.body.errors[0].pointer]).toEqual([status, code, '/url']);
  });
});

test('a file that cannot be fetched fails with the last try, or when the job is given up', async () => {
  const never = {} as never;
  const units = createUnits({ db: app.database.db, events: never, jobs: never });
  const egress = startEgress({ allow: allowing('127.0.0.1') });
  const deps = {
    units,
    secrets: createSecretBox(TEST_SECRET),
    files: createLocalFiles(join(app.config.DATA_DIR, 'media')),
    quotas: createQuotas({}),
    dispatcher: egress.dispatcher,
  };
  const workspaceId = toUuid('workspace', home.workspace)!;
  const [last, givenUp] = [(await create('/never')).body, (await create('/never')).body];
  const getJob = (media: { id: string }) => ({ workspaceId, id: toUuid('media', media.id)!, tried: 4 });
  await executeFetch(deps, getJob(last), new AbortController().signal);
  expect(await get(last.id)).toMatchObject({
    state: 'failed',
    url: null,
    error: { code: 'address_answered', detail: 'The URL responded with 500.' },
  });
  await giveUpFetch(units, getJob(givenUp));
  expect(await get(givenUp.id)).toMatchObject({ state: 'failed', error: expect.anything() });
  // The jobs that are still queued find nothing to do.
  await executeFetch(deps, getJob(givenUp), new AbortController().signal);
  expect((await get(givenUp.id)).state).toBe('failed');
});
