/**
 * Requests that carry a person's session, an API key and what a proxy says of that person are sent to every address that
 * a workspace controls, to the API, and into errors: afterwards no table, no file and no log line holds any of it.
 */
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createSecretBox } from '../../src/platform/crypto/secret-box.ts';
import { type IngressWorld, startIngress } from '../support/automation/publishing-endpoints/ingress.ts';
import { PNG, upload } from '../support/messaging/media.ts';
import { sendRaw } from '../support/raw-http.ts';
import { startWorkspace, TEST_SECRET } from '../support/test-app.ts';
import { searchEverything } from '../support/search-everything.ts';

const PATIENCE = { timeout: 120_000, interval: 50 };
/** In a header that is recorded, so that the search is known to find what is there. */
const HARMLESS = 'harmless-marker';
const PERSONAL = 'personal-marker';

let world: IngressWorld;
let victim: Awaited<ReturnType<typeof startWorkspace>>;
/** Token and signature of the session, as they are and as the cookie has them. */
let session: string[];
beforeAll(async () => {
  world = await startIngress();
  victim = await startWorkspace(world.app);
  const value = /session_token=([^;]+)/.exec(victim.owner.cookie)![1]!;
  session = decodeURIComponent(value).split('.');
});
afterAll(() => world.app.stop());

/** What the victim's browser or program sends, wherever somebody makes it go. */
const headers = () => ({
  authorization: `Bearer ${victim.key}`,
  cookie: `other-app=${PERSONAL}; ${victim.owner.cookie}`,
  'cf-access-jwt-assertion': PERSONAL,
  'content-type': 'application/json',
  referer: `${world.app.base}/user/api/reset-password?token=${PERSONAL}`,
  'remote-user': PERSONAL,
  'x-event': HARMLESS,
  'x-forwarded-user': PERSONAL,
  'x-key-of-mine': victim.key,
  'x-trace': `a=b; ${victim.owner.cookie}`,
});

const send = async (path: string, method = 'POST', body: string | undefined = '{"title": "Hello"}') => {
  const init = {
    method,
    headers: headers(),
    redirect: 'manual',
    ...(method === 'GET' ? {} : { body }),
  } as const;
  const answer = await fetch(world.app.base + path, init);
  return { status: answer.status, text: await answer.text() };
};
const getPath = (url: string): string => new URL(url).pathname;

test('nothing of whoever sent a request is left of it', async () => {
  const { app, home } = world;
  const instance = await world.instance();
  const all = '{{ headers | json }} {{ query | json }}';
  const destinations = [{ instance_id: instance, to: 'alice', template: all }];
  const secretUrl = await world.endpoint({ type: 'secret_url' }, { destinations });
  const rejecting = await world.endpoint(
    { type: 'secret_url' },
    { destinations: [{ ...destinations[0], template: '{{ payload.absent }}' }] },
  );
  const signature = await world.endpoint({ type: 'signature', scheme: 'github', secret: 'a secret of mine' });
  const inspector = (await world.call('/inspectors', {})).body;
  const link = (await world.call('/links', { url: 'https://example.com/', slug: 'followed' })).body;
  const locked = (
    await world.call('/links', { url: 'https://example.com/', slug: 'locked', password: 'a password' })
  ).body;
  const media = (await upload(app, { key: home.key }, { bytes: PNG, name: 'a.png' })).body;

  // A webhook and a rule of the workspace that carry the key to an inspector.
  const carried = { Authorization: `Bearer ${victim.key}`, 'X-Event': HARMLESS };
  await world.call('/webhooks', { url: inspector.url, events: ['link.created'], headers: carried });
  await world.call('/rules', {
    name: 'Calls',
    events: ['link.created'],
    actions: [{ type: 'call_webhook', name: 'hook', url: inspector.url, headers: carried }],
  });
  await world.call('/links', { url: 'https://example.com/', slug: 'told' });

  const query = `?key=${victim.key}&session=${encodeURIComponent(session.join('.'))}`;
  expect(await send(`${getPath(inspector.url)}/${victim.key}${query}`)).toHaveStatus(200);
  const accepted = await send(`${getPath(secretUrl.url)}${query}&a=${HARMLESS}`);
  expect(accepted).toHaveStatus(202);
  expect(await send(getPath(rejecting.url))).toHaveStatus(422);
  expect(await send(getPath(signature.url))).toHaveStatus(401);
  for (const path of [
    getPath(secretUrl.url),
    getPath(media.url),
    '/followed',
    '/locked',
    '/nothing-here',
    '/api/v1/nothing',
  ])
    for (const method of ['GET', 'POST'])
      expect((await send(`${path}${query}`, method)).status).not.toBe(500);
  expect([link, locked].map(({ object }) => object)).toEqual(['link', 'link']);

  // Calls of the API, which are accepted, refused, and can't be read.
  expect(
    (await send('/api/v1/links', 'POST', '{"url": "https://example.com/", "slug": "made"}')).status,
  ).toBe(201);
  expect(await send('/api/v1/links', 'POST', '{"url": ')).toHaveStatus(400);
  expect(await send(`/api/v1/links${query}`, 'GET')).toHaveStatus(400);
  expect(await send('/api/v1/contacts', 'POST', '{"name": "\\u0000"}')).toHaveStatus(400);
  const lines = Object.entries(headers()).map(([name, value]) => `${name}: ${value}\r\n`);
  await sendRaw(
    app.base,
    `GET /api/v1/me HTTP/1.1\r\nHost: localhost\r\n${lines.join('')}broken header\r\n\r\n`,
  );

  const received = async () => (await world.call(`/inspectors/${inspector.id}/requests?limit=100`)).body.data;
  await vi.waitFor(async () => expect(await received()).toHaveLength(3), PATIENCE);
  const { id } = JSON.parse(accepted.text);
  await vi.waitFor(async () => {
    expect(await world.rows('select from publishing_samples')).toHaveLength(3);
    expect((await world.call(`/publications/${id}`)).body.status).not.toBe('received');
  }, PATIENCE);

  const place = {
    pool: app.database.pool,
    secrets: createSecretBox(TEST_SECRET),
    dataDir: app.config.DATA_DIR,
  };
  const found = await searchEverything(place, [victim.key.slice(7, 31), ...session, PERSONAL]);
  // What the workspace itself has set as headers of its webhook and rule is sealed, and shown nowhere.
  const unexpected = found.filter(
    ({ where }) => !/^(webhooks\.headers_sealed|rules\.secrets_sealed), opened$/.test(where),
  );
  expect(unexpected.map(({ where, word, row }) => [where, word, row.slice(0, 300)])).toEqual([]);
  expect(found).toHaveLength(2);
  for (const secret of [victim.key.slice(7, 31), ...session, PERSONAL])
    expect(app.logged.join('')).not.toContain(secret);

  const harmless = (await searchEverything(place, [HARMLESS])).map(({ where }) => where);
  expect(harmless).toEqual(
    expect.arrayContaining([
      'inspector_requests.head_sealed, opened',
      'public.publication_inputs',
      'public.publishing_samples',
      'public.messages',
    ]),
  );
});
