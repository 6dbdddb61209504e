/** Tests the responses to visitors of short links over HTTP. */
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { PATIENCE } from '../../../../test/support/patience.ts';
import { createPasswordHasher } from '../../../core/auth/identity/password-hash.ts';
import { sendRaw } from '../../../../test/support/raw-http.ts';
import {
  insertWorkspace,
  putHost,
  putRoute,
  type Redirector,
  startRedirector,
} from '../../../../test/support/links/redirect.ts';

const TARGET = 'https://example.com/there';
const BROWSER =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36';
const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1';
const ANDROID =
  'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Mobile Safari/537.36';
const SLACK = 'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)';
const CRAWLER = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';
const PAGE = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

let at: Redirector;
let workspaceId: string;
let made = 0;

beforeAll(async () => {
  at = await startRedirector({}, undefined, { countries: { '127.0.0.1': 'DE' } });
  workspaceId = await insertWorkspace(at.database);
});
afterAll(() => at.stop());
beforeEach(() => {
  at.clicks.length = 0;
});

const put = async (route: Parameters<typeof putRoute>[3] = {}): Promise<string> => {
  const slug = `link${++made}`;
  await putRoute(at.database, workspaceId, slug, route);
  return slug;
};

interface Got {
  status: number;
  location: string | null;
  headers: Headers;
  text: string;
}

async function visit(
  path: string,
  headers: Record<string, string> = {},
  init: RequestInit = {},
  base = at.base,
): Promise<Got> {
  const response = await fetch(base + path, {
    redirect: 'manual',
    ...init,
    headers: { 'user-agent': BROWSER, accept: PAGE, ...headers },
  });
  return {
    status: response.status,
    location: response.headers.get('location'),
    headers: response.headers,
    text: await response.text(),
  };
}

/** Through a socket, where `fetch` would set a header itself. */
async function visitAs(host: string, path: string, more = '', method = 'GET') {
  const { answers } = await sendRaw(
    at.base,
    `${method} ${path} HTTP/1.1\r\nHost: ${host}\r\nUser-Agent: ${BROWSER}\r\nConnection: close\r\n${more}\r\n`,
  );
  return answers[0]!;
}

describe('a link', () => {
  test.each([301, 302, 307, 308] as const)(
    'redirects with %d, is recorded, and kept by nobody',
    async (status) => {
      const got = await visit(`/${await put({ status })}`, { referer: 'https://News.example/path?q=secret' });
      expect([got.status, got.location]).toEqual([status, TARGET]);
      expect(got.headers.get('cache-control')).toBe('private, no-store');
      expect(at.clicks).toMatchObject([
        { isBot: false, country: 'DE', referrer: 'news.example', address: null, userAgent: BROWSER },
      ]);
      expect(Math.abs(Date.now() - at.clicks[0]!.at)).toBeLessThan(60_000);
    },
  );

  test('HEAD redirects and is no click', async () => {
    const got = await visit(`/${await put()}`, {}, { method: 'HEAD' });
    expect([got.status, got.location, at.clicks.length]).toEqual([302, TARGET, 0]);
  });

  test('bots are sent on and flagged; other methods are refused', async () => {
    const slug = await put();
    expect((await visit(`/${slug}`, { 'user-agent': CRAWLER })).location).toBe(TARGET);
    expect(at.clicks).toMatchObject([{ isBot: true }]);
    const rejected = await visit(`/${slug}`, {}, { method: 'PUT', body: 'x' });
    expect([rejected.status, rejected.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST']);
  });

  test('the same visitor has the same hash, another agent another', async () => {
    const slug = await put();
    for (const agent of [BROWSER, BROWSER, IPHONE]) await visit(`/${slug}`, { 'user-agent': agent });
    const [first, second, third] = at.clicks.map(({ visitor }) => visitor);
    expect(second).toBe(first);
    expect(third).not.toBe(first);
  });

  test('UTM parameters come from the visit, then from the target', async () => {
    const slug = await put({ url: `${TARGET}?utm_source=mail&utm_medium=email` });
    await visit(`/${slug}?utm_source=print&utm_term=%C3%A4`);
    expect(at.clicks[0]!.utm).toEqual(['print', 'email', null, 'ä', null]);
  });

  test('a slash at the end changes nothing', async () => {
    const slug = await put({ url: `${TARGET}?utm_source=mail` });
    for (const path of [`/${slug}/`, `/${slug}/?utm_term=x`])
      expect((await visit(path)).location).toBe(`${TARGET}?utm_source=mail`);
    expect(at.clicks.map(({ utm }) => utm[3])).toEqual([null, 'x']);
    expect((await visit(`/${slug}+/`)).status).toBe((await visit(`/${slug}+`)).status);
  });

  test.each([
    '.',
    ',',
    ';',
    ':',
    '!',
    '?',
    '"',
    "'",
    ')',
    ']',
    '>',
    '}',
    '…',
    '’',
    '”',
    '»',
    ').',
    '?!',
    '…"',
  ])('the punctuation %s after it changes nothing, written or percent-encoded', async (sign) => {
    const slug = await put({ url: `${TARGET}?utm_source=mail` });
    const encoded = Array.from(Buffer.from(sign), (byte) => `%${byte.toString(16).padStart(2, '0')}`).join(
      '',
    );
    for (const path of [`/${slug}${encoded}`, `/${slug}${sign}`, `/${slug}${encoded}/?utm_term=x`])
      expect([path, (await visit(path)).location]).toEqual([path, `${TARGET}?utm_source=mail`]);
    expect(at.clicks).toHaveLength(3);
    expect((await visit(`/${slug}%2B${encoded}`)).text).toContain(`href="/${slug}"`);
    expect(await visit(`/nothing${encoded}`)).toHaveStatus(404);
  });

  test('punctuation within a path, and after an address of the product, is none of a link', async () => {
    const slug = await put();
    for (const path of [`/${slug}.html`, `/.${slug}`, '/api.', '/user.', '/.', '/...'])
      expect([path, (await visit(path)).location]).toEqual([path, null]);
  });

  test('a link in memory costs no query, with punctuation after it or without', async () => {
    const slug = await put();
    const countMisses = async () =>
      Number(/lookups_total\{result="miss"\} (\d+)/.exec(await at.registry.metrics())![1]);
    await vi.waitFor(async () => {
      const before = await countMisses();
      expect((await visit(`/${slug}`)).location).toBe(TARGET);
      expect(await countMisses()).toBe(before);
    }, PATIENCE);
    const before = await countMisses();
    for (const path of [`/${slug}`, `/${slug}.`, `/${slug}%29.`])
      expect((await visit(path)).location).toBe(TARGET);
    expect(await countMisses()).toBe(before);
  });

  test('a slug of any letters is found however it is encoded', async () => {
    await putRoute(at.database, workspaceId, 'café-日本', {});
    for (const slug of ['caf%C3%A9-%E6%97%A5%E6%9C%AC', 'cafe%CC%81-%e6%97%a5%e6%9c%ac'])
      expect((await visit(`/${slug}`)).location).toBe(TARGET);
    expect(await visit('/CAF%C3%89-%E6%97%A5%E6%9C%AC')).toHaveStatus(404);
  });

  test('a journal that fails sends nobody on', async () => {
    const slug = await put();
    at.failJournal(true);
    const got = await visit(`/${slug}`);
    at.failJournal(false);
    expect([got.status, got.location, got.headers.get('retry-after')]).toEqual([503, null, '1']);
    expect(await visit(`/${slug}`)).toHaveStatus(302);
  });
});

describe('answers without a link', () => {
  test('browsers get a page, programs a problem', async () => {
    const page = await visit('/nothing-here');
    expect(page).toHaveStatus(404);
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(page.headers.get('x-robots-tag')).toBe('noindex');
    expect(page.headers.get('content-security-policy')).not.toContain('unsafe');
    expect(page.text).not.toMatch(/<script|src=|https?:/);
    for (const accept of ['application/json', '*/*', 'application/problem+json, text/html;q=0.5']) {
      const problem = await visit('/nothing-here', { accept });
      expect([problem.status, JSON.parse(problem.text).code]).toEqual([404, 'not_found']);
    }
    expect(await visit('/nothing-here', {}, { method: 'HEAD' })).toHaveStatus(404);
  });

  test('archived and expired links are gone; expired_url is followed without a click', async () => {
    const past = Date.now() - 1000;
    expect((await visit(`/${await put({ archived: true, expiredUrl: 'https://e.test/' })}`)).status).toBe(
      410,
    );
    const expiredVisit = await visit(`/${await put({ expiresAt: past })}`);
    expect([expiredVisit.status, expiredVisit.text.includes('example.com')]).toEqual([410, false]);
    const slug = await put({ expiresAt: past, expiredUrl: 'https://elsewhere.test/' });
    const elsewhere = await visit(`/${slug}`);
    expect([elsewhere.status, elsewhere.location]).toEqual([302, 'https://elsewhere.test/']);
    expect(await visit(`/${slug}+`)).toHaveStatus(410);
    expect(at.clicks).toEqual([]);
    const problem = await visit(`/${await put({ expiresAt: past })}`, { accept: 'application/json' });
    expect(JSON.parse(problem.text).code).toBe('link_gone');
  });

  test.each([
    ['a path that cannot be decoded', '/%E0%A4%A', 404],
    ['NUL', '/%00', 404],
    ['5,000 letters', `/${'a'.repeat(5_000)}`, 404],
    ['300 emoji', `/${'%F0%9F%98%80'.repeat(300)}`, 404],
    ['a doubled slash', '//link1', 404],
    ['two slashes at the end', '/link1//', 404],
    ['dots', '/../link1', 404],
    ['an absolute address', 'http://elsewhere.test/link1', 421],
    ['a fragment', '/link1#x', 400],
    ['two plus signs', '/++', 404],
    ['a plus sign', '/+', 404],
    ['an encoded slash', '/%2F', 404],
  ])('%s is answered clearly', async (_name, target, status) => {
    expect((await visitAs(new URL(at.base).host, target)).status).toBe(status);
  });

  test('the product’s own addresses are not slugs, whoever wrote one', async () => {
    await putRoute(at.database, workspaceId, 'API', {});
    expect(JSON.parse((await visit('/healthz')).text)).toEqual({ status: 'ok' });
    expect((await visit('/api')).location).toBeNull();
  });
});

describe('previews and cards', () => {
  test('`+` shows where a link leads, as text, and is no click', async () => {
    const card = { title: '<b>"T"</b>', description: "it's", image: null };
    const slug = await put({ url: 'https://example.com/?a=1&b=<i>', card });
    for (const path of [`/${slug}+`, `/${slug}%2B`]) {
      const { status, text } = await visit(path);
      expect(status).toBe(200);
      expect(text).toContain('https://example.com/?a=1&amp;b=&lt;i&gt;');
      expect(text).toContain('&lt;b&gt;&quot;T&quot;&lt;/b&gt;');
      expect(text).toContain(`href="/${slug}"`);
    }
    expect(at.clicks).toEqual([]);
  });

  test('preview bots get a card where there is one, and never the target', async () => {
    const card = { title: 'Launch', description: null, image: 'https://cdn.test/a.png?x=1&y="' };
    const slug = await put({ card });
    const got = await visit(`/${slug}`, { 'user-agent': SLACK });
    expect(got).toHaveStatus(200);
    expect(got.text).toContain('<meta property="og:title" content="Launch">');
    expect(got.text).toContain(
      '<meta property="og:image" content="https://cdn.test/a.png?x=1&amp;y=&quot;">',
    );
    expect(got.text).not.toContain(TARGET);
    expect(at.clicks).toMatchObject([{ isBot: true }]);
    expect((await visit(`/${slug}`)).location).toBe(TARGET);
    expect((await visit(`/${await put()}`, { 'user-agent': SLACK })).location).toBe(TARGET);
  });
});

describe('rules', () => {
  test('the first rule that fits decides', async () => {
    const slug = await put({
      targeting: [
        { when: { country: ['FR'] }, url: 'https://fr.test/' },
        { when: { country: ['DE'], os: ['ios'] }, url: 'https://ios.de.test/?utm_source=rule' },
        { when: { language: ['pt', 'es'] }, url: 'https://iberia.test/' },
        { when: { device: ['desktop'] }, url: 'https://desktop.test/' },
      ],
    });
    const locations = [];
    const visitors: Record<string, string>[] = [
      { 'user-agent': IPHONE },
      { 'user-agent': ANDROID, 'accept-language': 'es-MX,es;q=0.9' },
      { 'accept-language': 'de' },
    ];
    for (const headers of visitors) locations.push((await visit(`/${slug}`, headers)).location);
    expect(locations).toEqual([
      'https://ios.de.test/?utm_source=rule',
      'https://iberia.test/',
      'https://desktop.test/',
    ]);
    expect(at.clicks[0]!.utm[0]).toBe('rule');
    await visit(`/${slug}`, { 'user-agent': ANDROID });
    expect(at.clicks.map((click) => click.destinationUrl)).toEqual([...locations, TARGET]);
    at.clicks.length = 0;
    await visit(`/${await put()}`);
    expect(at.clicks[0]!.destinationUrl).toBeNull();
  });

  test.each([
    ['https://e.test/', 'a=1', 'https://e.test/?a=1'],
    ['https://e.test/?a=2#end', 'a=1&b=%20x', 'https://e.test/?a=2&b=%20x#end'],
    ['https://e.test/?a=%20', '', 'https://e.test/?a=%20'],
    ['https://e.test/?a=2', '%61=1&a=3', 'https://e.test/?a=2'],
    ['https://e.test/', 'q=%0d%0aX:%20y&"<>', 'https://e.test/?q=%0d%0aX:%20y&%22%3C%3E'],
  ])('%s visited with %s leads to %s', async (url, query, expected) => {
    const slug = await put({ url, forwardQuery: true });
    const answer = await visitAs(new URL(at.base).host, `/${slug}?${query}`);
    expect(answer.headers['location']).toBe(expected);
    const plainSlug = await put({ url });
    expect((await visitAs(new URL(at.base).host, `/${plainSlug}?${query}`)).headers['location']).toBe(url);
  });
});

describe('a link with a password', () => {
  const PASSWORD = 'open “sesame”';
  let passwordHash: string;
  beforeAll(async () => {
    passwordHash = await createPasswordHasher().hash(PASSWORD, ['test']);
  });
  const post = (path: string, password: string, headers: Record<string, string> = {}) =>
    visit(path, headers, { method: 'POST', body: new URLSearchParams({ password }) });

  test('is opened by it, for ten minutes, and shows its target to nobody before', async () => {
    const slug = await put({ passwordHash, card: { title: 'T', description: null, image: null } });
    for (const [path, headers, method] of [
      [`/${slug}`, {}, 'GET'],
      [`/${slug}+`, {}, 'GET'],
      [`/${slug}`, {}, 'HEAD'],
      [`/${slug}`, { 'user-agent': SLACK }, 'GET'],
    ] as const) {
      const got = await visit(path, headers, { method });
      expect([got.status, got.location]).toEqual([200, null]);
      expect(got.text).not.toContain('example.com');
    }
    const wrong = await post(`/${slug}`, 'wrong');
    expect([wrong.status, wrong.text.includes('incorrect')]).toEqual([403, true]);
    const right = await post(`/${slug}?a=1`, PASSWORD);
    expect([right.status, right.location]).toEqual([303, `/${slug}?a=1`]);
    expect(at.clicks).toEqual([]);
    const cookie = right.headers.get('set-cookie')!;
    expect(cookie).toMatch(new RegExp(`; Max-Age=600; Path=/${slug}; HttpOnly; SameSite=Lax$`));
    const value = cookie.split(';')[0]!;
    expect((await visit(`/${slug}`, { cookie: `a=b; ${value}` })).location).toBe(TARGET);
    expect(at.clicks).toHaveLength(1);
    expect(
      (await visit(`/${slug}`, { cookie: value.replace(/.$/, value.endsWith('A') ? 'B' : 'A') })).status,
    ).toBe(200);
    const other = await put({ passwordHash });
    expect((await visit(`/${other}`, { cookie: value })).location).toBeNull();
  });

  test('is opened at its own path where punctuation follows it', async () => {
    const slug = await put({ passwordHash });
    const { status, location, headers } = await post(`/${slug};`, PASSWORD);
    expect([status, location]).toEqual([303, `/${slug}`]);
    expect(headers.get('set-cookie')).toContain(`; Path=/${slug}; HttpOnly`);
  });

  test('programs are told what to send', async () => {
    const slug = await put({ passwordHash });
    const got = await visit(`/${slug}`, { accept: 'application/json' });
    expect([got.status, JSON.parse(got.text).code]).toEqual([403, 'link_password_required']);
  });

  test('takes five guesses a minute, also the right one, from one address', async () => {
    const slug = await put({ passwordHash });
    const statuses = [];
    for (let tries = 0; tries < 6; tries++)
      statuses.push((await post(`/${slug}`, tries < 5 ? 'no' : PASSWORD)).status);
    expect(statuses).toEqual([403, 403, 403, 403, 403, 429]);
    const other = await put({ passwordHash });
    expect(await post(`/${other}`, PASSWORD)).toHaveStatus(303);
  });

  test('counts only passwords that were checked as guesses', async () => {
    const slug = await put({ passwordHash });
    for (const password of ['', 'x'.repeat(1_001), 'x'.repeat(20_000)])
      for (let tries = 0; tries < 3; tries++)
        expect([403, 413]).toContain((await post(`/${slug}`, password)).status);
    expect(await post(`/${slug}`, PASSWORD)).toHaveStatus(303);
  });

  test('reads no long form', async () => {
    const slug = await put({ passwordHash });
    expect(await post(`/${slug}`, 'x'.repeat(20_000))).toHaveStatus(413);
  });
});

describe('hosts', () => {
  test('a verified host serves links of its workspace alone, and nothing else', async () => {
    const other = await insertWorkspace(at.database);
    await putHost(at.database, workspaceId, 'go.test', {
      notFound: 'https://nf.test/',
      root: 'https://root.test/',
    });
    await putHost(at.database, other, 'plain.test');
    await putRoute(at.database, workspaceId, 'a', { url: 'https://on-go.test/' }, 'go.test');
    await putRoute(at.database, workspaceId, 'a', { url: 'https://stolen.test/' }, 'plain.test');
    await putRoute(at.database, workspaceId, 'a', { url: 'https://default.test/' });
    expect((await visitAs('go.test', '/a).')).headers['location']).toBe('https://on-go.test/');
    expect((await visitAs('GO.test:8080', '/a')).headers['location']).toBe('https://on-go.test/');
    expect((await visitAs('go.test.', '/a?x')).headers['location']).toBe('https://on-go.test/');
    expect((await visitAs('go.test', '/')).headers['location']).toBe('https://root.test/');
    for (const path of ['/b', '/api/v1/me', '/user/api', '//a', '/a/b', '/%E0%A4%A'])
      expect((await visitAs('go.test', path)).headers['location']).toBe('https://nf.test/');
    expect(JSON.parse((await visitAs('go.test', '/healthz')).body)).toEqual({ status: 'ok' });
    expect(await visitAs('plain.test', '/a')).toHaveStatus(404);
    expect(await visitAs('plain.test', '/')).toHaveStatus(404);
    expect((await visitAs(new URL(at.base).host, '/a')).headers['location']).toBe('https://default.test/');
    for (const host of ['unknown.test', '', '10.0.0.1', 'a b', 'x'.repeat(300)])
      expect(await visitAs(host, '/a')).toHaveStatus(421);
  });

  test('a target in absolute form is followed by its own host', async () => {
    await putHost(at.database, workspaceId, 'absolute.test');
    await putRoute(at.database, workspaceId, 'whole', { url: 'https://on-absolute.test/' }, 'absolute.test');
    await putRoute(at.database, workspaceId, 'whole', { url: 'https://default.test/' });
    const ownHost = new URL(at.base).host;
    expect((await visitAs(ownHost, 'http://absolute.test/whole')).headers['location']).toBe(
      'https://on-absolute.test/',
    );
    expect((await visitAs('absolute.test', `http://${ownHost}/whole?x=1`)).headers['location']).toBe(
      'https://default.test/',
    );
  });

  test('what a proxy says counts only where it is trusted', async () => {
    await putHost(at.database, workspaceId, 'proxied.test');
    await putRoute(
      at.database,
      workspaceId,
      'p',
      { targeting: [{ when: { country: ['FR'] }, url: 'https://fr.test/' }] },
      'proxied.test',
    );
    const proxy = await startRedirector({ TRUST_PROXY: '127.0.0.0/8,10.0.0.0/8' }, at.database, {
      countries: { '9.9.9.9': 'FR' },
    });
    try {
      const headers = { 'x-forwarded-host': 'proxied.test', 'x-forwarded-for': '1.1.1.1, 9.9.9.9, 10.1.1.1' };
      expect((await visit('/p', headers, {}, proxy.base)).location).toBe('https://fr.test/');
      expect(await visit('/p', headers)).toHaveStatus(404);
      const stranger = { ...headers, 'x-forwarded-for': '9.9.9.9, 8.8.8.8' };
      expect((await visit('/p', stranger, {}, proxy.base)).location).toBe(TARGET);
    } finally {
      await proxy.stop();
    }
  });

  test('raw addresses are kept only where the workspace asks for it', async () => {
    const asking = await insertWorkspace(at.database);
    await at.database.pool.query('update workspaces set click_addresses = true where id = $1', [asking]);
    await putRoute(at.database, asking, 'kept', {});
    await visit('/kept');
    expect(at.clicks).toMatchObject([{ address: '127.0.0.1' }]);
  });
});
