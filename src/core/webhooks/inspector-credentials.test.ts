/**
 * An inspector's address is on the console's origin and belongs to a workspace. Tests that requests of a browser or a
 * program to it never expose credentials of this server to the workspace.
 */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { generateSecret } from '../../platform/crypto/api-key-secret.ts';
import { sendRaw } from '../../../test/support/raw-http.ts';
import { startTestApp, startWorkspace, type TestApp } from '../../../test/support/test-app.ts';

let app: TestApp;
/** The owner of the inspector, and a member of another workspace. */
let attacker: Awaited<ReturnType<typeof startWorkspace>>;
let victim: Awaited<ReturnType<typeof startWorkspace>>;
let id: string;
let at: string;

beforeAll(async () => {
  app = await startTestApp();
  attacker = await startWorkspace(app);
  victim = await startWorkspace(app);
});
afterAll(() => app.stop());
beforeEach(async () => {
  const { body } = await app.call('/inspectors', {
    key: attacker.key,
    body: { answer: { status: 418, body: 'as it is set' } },
  });
  id = body.id;
  at = app.base + new URL(body.url).pathname;
});

afterEach(async () => {
  await app.call(`/inspectors/${id}`, { key: attacker.key, method: 'DELETE' });
});

const read = async (path: string) => (await app.call(path, { key: attacker.key })).body;

/** The newest request as the API shows it, and all that is stored of it. */
async function recorded() {
  const [{ id: newest }] = (await read(`/inspectors/${id}/requests?limit=1`)).data;
  const request = await read(`/inspectors/${id}/requests/${newest}`);
  const names: string[] = request.headers.map(({ name }: { name: string }) => name.toLowerCase());
  return { request, names, text: JSON.stringify(request) };
}

const CHROMIUM = {
  'sec-fetch-site': 'cross-site',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-user': '?1',
  'sec-fetch-dest': 'document',
  'upgrade-insecure-requests': '1',
  accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8',
  'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/141.0.0.0 Safari/537.36',
};

/** Node's fetch does not send the Sec-Fetch-* headers of its caller. */
async function sendAs(method: string, path: string, headers: Record<string, string>, body = '') {
  const lines = Object.entries({ host: 'localhost', ...headers, 'content-length': String(body.length) });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  const { answers } = await sendRaw(app.base, `${method} ${path} HTTP/1.1\r\n${head}\r\n${body}`);
  return answers[0]!;
}

describe('a browser that navigates to an inspector', () => {
  test.each([
    ['in a tab', 'GET', CHROMIUM],
    ['in a frame', 'GET', { ...CHROMIUM, 'sec-fetch-dest': 'iframe' }],
    ['by a form', 'POST', CHROMIUM],
    ['over plain HTTP, where it sends no Sec-Fetch-*', 'GET', { accept: CHROMIUM.accept }],
    ['by a form over plain HTTP', 'POST', { accept: CHROMIUM.accept, 'upgrade-insecure-requests': '1' }],
  ])('%s reads a page that says what it is, and no header is recorded', async (_how, method, headers) => {
    const url = new URL(at);
    const answer = await sendAs(method, `${url.pathname}/invoice?id=7`, {
      ...headers,
      cookie: victim.owner.cookie,
      authorization: 'Basic dmljdGltOnBhc3N3b3Jk',
      referer: `${app.base}/user/api/reset-password?token=of-the-victim`,
    });
    expect(answer).toHaveStatus(200);
    expect(answer.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'cache-control': 'private, no-store',
      'referrer-policy': 'no-referrer',
    });
    const policy = answer.headers['content-security-policy']!;
    for (const rule of ["default-src 'none'", "frame-ancestors 'none'", "form-action 'none'", 'sandbox'])
      expect(policy.split('; ')).toContain(rule);
    expect(policy).not.toMatch(/script|unsafe/);
    expect(answer.body).toContain('<h1>Request inspector</h1>');
    expect(answer.body).not.toMatch(/<script|<form|as it is set/);
    const { request } = await recorded();
    expect(request).toMatchObject({
      method,
      path: '/invoice',
      query: 'id=7',
      headers: [],
      content_type: null,
      signature: 'absent',
      answered: { status: 200, delay_ms: 0 },
    });
  });

  test.each([
    ['a script', { ...CHROMIUM, 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' }],
    [
      'an image',
      { ...CHROMIUM, 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image', accept: 'image/*,*/*;q=0.8' },
    ],
    ['curl', { accept: '*/*' }],
    ['a program that wants JSON', { accept: 'application/json, text/html;q=0.5' }],
  ])('is not %s, which gets the answer that is set', async (_what, headers) => {
    const answer = await sendAs('GET', new URL(at).pathname, headers);
    expect([answer.status, answer.headers['content-type'], answer.body]).toEqual([
      418,
      'text/plain; charset=utf-8',
      'as it is set',
    ]);
    expect((await recorded()).names).toContain('accept');
  });
});

describe('what is recorded of a request', () => {
  /** A session token as its cookie has it, and decoded. */
  const cookieValue = () => /session_token=([^;]+)/.exec(victim.owner.cookie)![1]!;
  const sessionToken = () => decodeURIComponent(cookieValue());

  test('holds no cookie, whoever sends it', async () => {
    const cookie = `theme=dark; ${victim.owner.cookie}; other-app=hush`;
    await fetch(at, {
      method: 'POST',
      headers: { cookie, cookie2: '$Version=1', 'x-test': '1' },
      body: '{}',
    });
    const { names, text } = await recorded();
    expect(names).toContain('x-test');
    expect(names.filter((name) => name.startsWith('cookie'))).toEqual([]);
    for (const secret of ['theme=dark', 'hush', cookieValue(), sessionToken().split('.')[0]!])
      expect(text).not.toContain(secret);
  });

  test('holds no API key, wherever one is: also a broken one, one that is cut, and one in the address', async () => {
    const broken = `${generateSecret()}x`;
    const headers = {
      authorization: `Bearer ${victim.key}`,
      'x-api-key': victim.key,
      'x-forwarded-uri': `/hook?key=${victim.key}&again=${victim.key}`,
      'x-broken': broken,
      'x-long': `${'a'.repeat(4_096 - 20)} ${victim.key}`,
      [`x-${victim.key}`]: '1',
      'content-type': `text/plain; key=${victim.key}`,
    };
    await sendAs('POST', `${new URL(at).pathname}/${victim.key}?key=${victim.key}`, headers, 'x');
    const { request, text } = await recorded();
    expect(text).not.toContain(victim.key.slice(3, 30).toLowerCase());
    expect(text).not.toContain(victim.key.slice(3, 15));
    expect(text).not.toContain(broken.slice(3, 15));
    expect(request).toMatchObject({ path: '/fl_[removed]', query: 'key=fl_[removed]' });
    expect(request.headers).toEqual(
      expect.arrayContaining([
        { name: 'authorization', value: 'Bearer fl_[removed]' },
        { name: 'x-api-key', value: 'fl_[removed]' },
        { name: 'x-forwarded-uri', value: '/hook?key=fl_[removed]&again=fl_[removed]' },
      ]),
    );
  });

  test('holds no session token in another header or in the address', async () => {
    const headers = { 'x-session': sessionToken(), 'x-encoded': `a=b; session=${cookieValue()}; c=d` };
    await sendAs('GET', `${new URL(at).pathname}?session=${cookieValue()}`, headers);
    const { request, text } = await recorded();
    expect(text).not.toContain(sessionToken().slice(0, 12));
    expect(request.query).toBe('session=[removed]');
    expect(request.headers).toEqual(
      expect.arrayContaining([
        { name: 'x-session', value: '[removed]' },
        { name: 'x-encoded', value: 'a=b; session=[removed]; c=d' },
      ]),
    );
  });

  test.each([
    'Basic dmljdGltOnB3',
    'basic dmljdGltOnB3',
    'Digest username="victim", response="pw"',
    'Negotiate YIIvictim',
    'NTLM victim',
  ])('holds no credentials that a browser adds for a whole origin: %s', async (authorization) => {
    await sendAs('GET', new URL(at).pathname, { authorization });
    const { request, text } = await recorded();
    expect(text).not.toMatch(/dmljdGltOnB3|victim/);
    const [scheme] = authorization.split(' ');
    expect(request.headers).toContainEqual({ name: 'authorization', value: `${scheme} [removed]` });
  });

  test('holds nothing by which a proxy in front says who is signed in there', async () => {
    const personal = [
      'Cf-Access-Jwt-Assertion',
      'Proxy-Authorization',
      'Remote-User',
      'Ssl-Client-Cert',
      'Tailscale-User-Login',
      'X-Amzn-Oidc-Data',
      'X-Auth-Request-Access-Token',
      'X-Forwarded-Access-Token',
      'X-Forwarded-Client-Cert',
      'X-Forwarded-Email',
      'X-Goog-Iap-Jwt-Assertion',
      'X-Ms-Token-Aad-Id-Token',
      'X-Remote-User',
    ];
    await sendAs('GET', new URL(at).pathname, Object.fromEntries(personal.map((name) => [name, 'victim'])));
    expect((await recorded()).text).not.toContain('victim');
  });

  test('holds of the page that led there its origin alone', async () => {
    const headers = { referer: `${app.base}/user/api/reset-password?token=victim` };
    await sendAs('GET', new URL(at).pathname, headers);
    expect((await recorded()).request.headers).toContainEqual({ name: 'referer', value: `${app.base}/` });
    await sendAs('GET', new URL(at).pathname, { referer: 'victim' });
    expect((await recorded()).text).not.toContain('victim');
  });

  test('is still all that a sender of another service sets: its key, signature and user agent', async () => {
    const headers = {
      authorization: 'Bearer sk_live_theirs',
      'x-hub-signature-256': 'sha256=0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef',
      'x-api-key': 'theirs',
      'user-agent': 'GitHub-Hookshot/0123456',
      'x-forwarded-for': '203.0.113.7',
    };
    await sendAs('POST', new URL(at).pathname, headers, '{}');
    expect((await recorded()).request.headers).toEqual(
      expect.arrayContaining(Object.entries(headers).map(([name, value]) => ({ name, value }))),
    );
  });

  test("by a delivery: no API key that somebody set as the webhook's header", async () => {
    const { body: inspector } = await app.call(`/inspectors/${id}`, { key: attacker.key });
    const headers = {
      Authorization: `Bearer ${victim.key}`,
      Cookie: victim.owner.cookie,
      'X-Theirs': 'kept',
    };
    const { status, body: webhook } = await app.call('/webhooks', {
      key: attacker.key,
      body: { url: inspector.url, events: ['ping'], headers },
    });
    expect(status).toBe(201);
    expect(
      (await app.call(`/webhooks/${webhook.id}/test`, { key: attacker.key, method: 'POST' })).status,
    ).toBeLessThan(300);
    await vi.waitFor(
      async () => expect((await read(`/inspectors/${id}/requests`)).data).toHaveLength(1),
      10_000,
    );
    const { request, names, text } = await recorded();
    expect(request).toMatchObject({ source: 'delivery', signature: 'valid' });
    expect(request.headers).toContainEqual({ name: 'x-theirs', value: 'kept' });
    expect(names).not.toContain('cookie');
    expect(text).not.toContain(victim.key);
  });
});
