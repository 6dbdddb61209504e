/**
 * Guides from other products: the blocks marked `sh run` are performed as they stand, in their order, against the running
 * product; those marked `file=` lie in the folder. What is left unmarked speaks to the other product, or sets what the
 * reader has to set.
 */
import { execFile, spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSecretBox } from '../../src/platform/crypto/secret-box.ts';
import { type NameServer, startNameServer } from '../support/links/domains.ts';
import { needs } from '../support/needs.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { startTestApp, startWorkspace, TEST_SECRET, type TestApp } from '../support/test-app.ts';
import { openSecret } from '../../src/core/webhooks/delivery/webhook-secret.ts';
import { fencedIn, readPage } from '../support/fenced.ts';

const isThere = (program: string): boolean => spawnSync(program, ['--version']).status === 0;
const PROGRAMS = ['bash', 'curl', 'jq'];

/** What the answer to a call is not: a guide that goes wrong ends there, and says where. */
const PRELUDE = `set -euo pipefail
curl() { command curl --fail-with-body -sS "$@" || { echo "failed: curl $*" >&2; return 22; }; }
`;

// oxlint-disable-next-line typescript/no-explicit-any -- tests look into any answer
type Body = any;

let app: TestApp;
let names: NameServer;
beforeAll(async () => {
  names = await startNameServer();
  app = await startTestApp({ DNS_SERVERS: names.address });
});
afterAll(async () => {
  await app.stop();
  await names.stop();
});

/** Performs a page in a workspace of its own. @returns what it wrote, and calls in its workspace */
async function perform(name: string): Promise<{ output: string; get: (path: string) => Promise<Body> }> {
  const blocks = fencedIn(readPage(name));
  const { key } = await startWorkspace(app);
  const get = async (path: string): Promise<Body> => {
    const { status, body } = await app.call(path, { key });
    expect([status, path], JSON.stringify(body)).toEqual([200, path]);
    return body;
  };
  await using folder = await temporaryFolder();
  for (const { mark, text } of blocks)
    if (mark.startsWith('file=')) await writeFile(join(folder.path, mark.slice('file='.length)), text);
  const run = blocks.filter(({ mark }) => mark === 'run');
  expect(run.length).toBeGreaterThan(2);
  const script = join(folder.path, 'guide.sh');
  await writeFile(script, PRELUDE + run.map(({ text }) => text).join('\n'));
  // Who reads sets the TXT record when told so.
  let done = false;
  const setRecords = (async () => {
    while (!done) {
      for (const { verification } of (await get('/domains')).data)
        names.records.set(verification.name, [verification.value]);
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  })();
  try {
    const { stdout } = await promisify(execFile)('bash', [script], {
      cwd: folder.path,
      env: { ...process.env, SERVER: app.base, KEY: key, HOME: folder.path },
      timeout: 240_000,
      maxBuffer: 16 * 1024 * 1024,
    });
    return { output: stdout, get };
  } finally {
    done = true;
    await setRecords;
  }
}

const bySlug = async (get: (path: string) => Promise<Body>): Promise<Record<string, Body>> =>
  Object.fromEntries((await get('/links?limit=100')).data.map((link: Body) => [link.slug, link]));

describe.concurrent('the guide', needs('bash, curl and jq', PROGRAMS.every(isThere)), () => {
  const PATIENCE = 180_000;

  test('to moving links keeps their addresses on their host', { timeout: PATIENCE }, async () => {
    const { output, get } = await perform('moving-links.md');
    expect(output).toContain('_fairlead.go.example.com TXT fairlead-verify=');
    expect(output).toContain('launch 302 https://example.com/spring?ref=mail');
    expect(output).toContain('docs 302 https://example.com/docs');
    expect((await bySlug(get))['launch']).toMatchObject({
      domain: 'go.example.com',
      title: 'Spring launch',
      tags: ['mail', 'spring'],
    });
    expect((await get('/domains')).data[0]).toMatchObject({ root_url: 'https://example.com' });
  });

  test('from Dub takes all that its CSV and its API tell', { timeout: PATIENCE }, async () => {
    const { get } = await perform('from-dub.md');
    const links = await bySlug(get);
    expect(links['launch']).toMatchObject({ url: 'https://example.com/launch', tags: ['mail', 'spring'] });
    expect(links['old'].state).toBe('archived');
    expect(links['promo']).toMatchObject({
      url: 'https://example.com/promo',
      external_id: 'promo-1',
      title: 'Promo',
      expires_at: '2099-01-01T00:00:00.000Z',
      expired_url: 'https://example.com/over',
      tags: ['spring'],
      utm: { source: 'mail' },
      metadata: { comments: 'for the fair' },
      targeting: [
        { when: { os: ['ios'] }, url: 'https://apps.example.com/ios' },
        { when: { country: ['DE'] }, url: 'https://example.com/de' },
      ],
    });
    expect((await get('/webhooks')).data).toHaveLength(1);
  });

  test('from Shlink takes all that its web client and its API tell', { timeout: PATIENCE }, async () => {
    const { output, get } = await perform('from-shlink.md');
    expect(output).not.toContain('"failed":1');
    const links = await bySlug(get);
    expect(links['12Kb3']).toMatchObject({ title: 'Welcome', tags: ['games', 'tech'] });
    expect(links['news'].url).toBe('https://example.com/news');
    expect(links['12C18']).toMatchObject({
      url: 'https://store.example.com',
      tags: ['games', 'tech'],
      expires_at: '2099-01-20T22:00:00.000Z',
      max_clicks: 100,
      forward_query: true,
    });
  });

  test(
    'from Kutt takes its links, none that was banned or had a password open',
    { timeout: PATIENCE },
    async () => {
      const { output, get } = await perform('from-kutt.md');
      expect(output).toContain('"created":2,"failed":1,"faults":[{"code":"password_missing","line":4');
      const links = await bySlug(get);
      expect(links['fair']).toMatchObject({
        description: 'For the fair',
        expires_at: '2099-05-01T00:00:00.000Z',
      });
      expect(links['bad'].state).toBe('archived');
      expect(links['secret']).toBeUndefined();
    },
  );

  test('from Svix keeps secrets, addresses and rates of endpoints', { timeout: PATIENCE }, async () => {
    const { output, get } = await perform('from-svix.md');
    expect(output).toContain('"body":"{\\"eventType\\": \\"link.created\\"');
    const hooks = (await get('/webhooks')).data;
    const [log, main] = ['https://hooks.example.com/log', 'https://hooks.example.com/acme'].map((url) =>
      hooks.find((hook: Body) => hook.url === url),
    );
    expect(main).toMatchObject({
      enabled: true,
      events: ['publication.published'],
      rate_limit: { limit: 600, burst: 10 },
      metadata: { plan: 'pro', svix_uid: 'acme-main' },
    });
    expect(log).toMatchObject({ enabled: false, events: ['*'], rate_limit: null });
    const { rows } = await app.database.pool.query(
      'select workspace_id, id, secret_sealed from webhooks where url = $1',
      [main.url],
    );
    expect(rows.map((row) => openSecret(createSecretBox(TEST_SECRET), row, row.secret_sealed))).toEqual([
      'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    ]);
  });

  test('from WAHA and Evolution API sends, hears and imports', { timeout: PATIENCE }, async () => {
    const { output, get } = await perform('from-waha-evolution-api.md');
    // A receipt may overtake `sent`.
    expect(output).toMatch(/\["queued","sending",("sent",)?"delivered","read"\]/);
    expect(output).toContain('"created":1,"updated":1');
    const { data } = await get('/contacts?name=dora');
    expect(data).toMatchObject([{ name: 'Dora', metadata: { phone: '+49170000001' } }]);
  });
});
