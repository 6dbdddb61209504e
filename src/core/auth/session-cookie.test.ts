/** Tests where browsers send the session cookie, and how cookies of earlier releases are removed. */
import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, startWorkspace, TEST_SECRET, type TestApp } from '../../../test/support/test-app.ts';
import { createSecretBox } from '../../platform/crypto/secret-box.ts';

let app: TestApp;
let home: Awaited<ReturnType<typeof startWorkspace>>;
beforeAll(async () => {
  app = await startTestApp();
  home = await startWorkspace(app);
});
afterAll(() => app.stop());

/** The person's session in a cookie that an earlier release signed. */
function earlierCookie(name: string): string {
  const [, value = ''] = /=([^;]+)/.exec(home.owner.cookie) ?? [];
  const token = decodeURIComponent(value).split('.')[0]!;
  const [key] = createSecretBox(TEST_SECRET).deriveAll('identity cookies');
  const signature = createHmac('sha256', key.toString('base64url')).update(token).digest('base64');
  return `${name}=${encodeURIComponent(`${token}.${signature}`)}`;
}

test('a token that an earlier release put into a cookie is accepted under no name', async () => {
  expect(await home.owner.call('/me')).toHaveStatus(200);
  for (const name of ['fairlead.session_token', 'fairlead_api.session_token']) {
    const headers = { cookie: earlierCookie(name), origin: app.base };
    expect(await app.call('/me', { headers })).toHaveStatus(401);
    const session = await fetch(`${app.base}/api/auth/get-session`, { headers });
    expect(await session.json()).toEqual({ user: null, session: null });
  }
});

test.each([
  '/api/v1/me',
  '/api/auth/status',
  '/inspect/x',
  '/in/x',
  '/media/x',
  '/user/api',
  '/nothing/here',
])('%s makes a browser delete the cookies of earlier releases, and no other', async (path) => {
  const earlier = ['fairlead.session_token', '__Secure-fairlead.session_token', 'fairlead.dont_remember'];
  const cookie = [
    'theme=dark',
    'xfairlead.session_token=1',
    home.owner.cookie,
    ...earlier.map((name) => `${name}=x.y`),
  ];
  const { headers } = await fetch(app.base + path, { headers: { cookie: cookie.join('; ') } });
  expect(headers.getSetCookie()).toEqual(
    earlier.map((name) => {
      const secure = name.startsWith('__Secure-') ? '; Secure' : '';
      return `${name}=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax${secure}`;
    }),
  );
  const usual = await fetch(app.base + path, { headers: { cookie: home.owner.cookie } });
  expect(usual.headers.getSetCookie()).toEqual([]);
});
