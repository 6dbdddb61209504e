/**
 * Tests values that are signed or hashed with the root secret, not sealed, during and after a rotation of the secret.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sendForm } from '../../../test/support/messaging/media.ts';
import { startTestApp, startWorkspace, type TestApp } from '../../../test/support/test-app.ts';

const OLD = 'the old secret of this test, long enough';
const NEW = 'the new secret of this test, long enough';
const COOKIE = 'fairlead_api.session_token';

let old: TestApp;
let turning: TestApp;
let turned: TestApp;
let home: Awaited<ReturnType<typeof startWorkspace>>;

beforeAll(async () => {
  old = await startTestApp({ FAIRLEAD_SECRET: OLD });
  turning = await startTestApp({ FAIRLEAD_SECRET: NEW, FAIRLEAD_SECRET_ALSO: OLD }, old);
  turned = await startTestApp({ FAIRLEAD_SECRET: NEW }, old);
  home = await startWorkspace(old);
});
afterAll(async () => {
  await turned.stop();
  await turning.stop();
  await old.stop();
});

const session = async (app: TestApp, path: string, cookie: string, method = 'GET') => {
  const response = await fetch(`${app.base}/api/auth${path}`, {
    method,
    headers: { cookie, origin: app.base },
  });
  return {
    status: response.status,
    body: (await response.json().catch(() => null)) as { user: { email: string } | null } | null,
    cookie: response.headers
      .getSetCookie()
      .find((line) => line.startsWith(COOKIE))
      ?.split(';')[0],
  };
};

test('sessions go on while the old secret counts, and are signed anew when they are prolonged', async () => {
  const ada = await old.signUp();
  expect((await session(turning, '/get-session', ada.cookie)).body?.user?.email).toBe(ada.email);
  expect((await session(turned, '/get-session', ada.cookie)).body?.user).toBeNull();

  await old.database.pool.query("update sessions set expires_at = now() + interval '5 days'");
  const prolonged = await session(turning, '/get-session', `theme=dark; ${ada.cookie}`);
  expect(prolonged.cookie).toBeDefined();
  expect(prolonged.cookie).not.toBe(ada.cookie);
  expect((await session(turned, '/get-session', prolonged.cookie!)).body?.user?.email).toBe(ada.email);
  expect((await session(old, '/get-session', prolonged.cookie!)).body?.user).toBeNull();

  expect((await session(turning, '/sign-out', ada.cookie, 'POST')).status).toBeLessThan(300);
  expect((await session(old, '/get-session', ada.cookie)).body?.user).toBeNull();
});

test('a POST that is sent again is answered as at first while the old secret counts, and never performed twice', async () => {
  const send = (app: TestApp, url = 'https://example.com/once') =>
    app.call('/links', {
      key: home.key,
      headers: { 'idempotency-key': 'rotated' },
      body: { url, slug: 'once' },
    });
  const first = await send(old);
  expect(first).toHaveStatus(201);
  const again = await send(turning);
  expect([again.status, again.body.id, again.headers.get('idempotency-replayed')]).toEqual([
    201,
    first.body.id,
    'true',
  ]);
  expect((await send(turning, 'https://example.com/other')).body.code).toBe('idempotency_mismatch');
  expect((await send(turned)).body.code).toBe('idempotency_mismatch');
  expect((await old.call('/links', { key: home.key })).body.data).toHaveLength(1);
});

test('the address of a file, and the cookie of a password, hold good while the old secret counts', async () => {
  const form = new FormData();
  form.set('file', new Blob(['hello'], { type: 'text/plain' }), 'a.txt');
  const media = await sendForm(old, { key: home.key }, form);
  const link = await old.call('/links', {
    key: home.key,
    body: { url: 'https://example.com/', slug: 'locked', password: 'open sesame' },
  });
  expect([media.status, link.status]).toEqual([201, 201]);

  const unlocked = await fetch(`${old.base}/locked`, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({ password: 'open sesame' }),
  });
  const cookie = unlocked.headers.getSetCookie()[0]!.split(';')[0]!;
  const seen = async (app: TestApp) => [
    (await fetch(app.base + new URL(media.body.url).pathname)).status,
    (await fetch(`${app.base}/locked`, { redirect: 'manual', headers: { cookie } })).headers.get('location'),
  ];
  expect(await seen(old)).toEqual([200, 'https://example.com/']);
  expect(await seen(turning)).toEqual([200, 'https://example.com/']);
  expect(await seen(turned)).toEqual([404, null]);
});
