/**
 * Whatever a workspace puts on the console's origin runs nothing there, since a script could call the API with the session
 * of whoever opens it: `Path=/api` keeps a cookie out of requests to other addresses, not out of a script's own requests.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PNG, reachable, upload } from '../support/messaging/media.ts';
import { startTestApp, startWorkspace, type TestApp } from '../support/test-app.ts';

const SCRIPT = '<script>document.title="owned"</script>';
const HTML = `<!doctype html>${SCRIPT}`;
const SVG = `<svg xmlns="http://www.w3.org/2000/svg" onload="document.title='owned'">${SCRIPT}</svg>`;
const BROWSER = {
  accept: 'text/html,application/xhtml+xml,*/*;q=0.8',
  'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/141.0.0.0 Safari/537.36',
};
const PREVIEW_BOT = { ...BROWSER, 'user-agent': 'facebookexternalhit/1.1' };
const SCRIPT_TYPES = /javascript|ecmascript|jscript|livescript|wasm/;

let app: TestApp;
let home: Awaited<ReturnType<typeof startWorkspace>>;
beforeAll(async () => {
  app = await startTestApp();
  home = await startWorkspace(app);
});
afterAll(() => app.stop());

async function create(path: string, body: object) {
  const answer = await app.call(path, { key: home.key, body });
  expect([answer.status, answer.body.errors]).toEqual([201, undefined]);
  return answer.body;
}
const file = async (type: string, content: string | Buffer) => {
  const { status, body } = await upload(
    app,
    { key: home.key },
    { bytes: Buffer.from(content), name: 'a.html', type },
  );
  expect(status).toBe(201);
  return reachable(app, body.url);
};
const shortLink = async (more: object) => {
  const { slug } = await create('/links', {
    url: 'https://example.com/',
    title: SCRIPT,
    description: SCRIPT,
    ...more,
  });
  return `${app.base}/${slug}`;
};

interface Content {
  url: string;
  headers?: Record<string, string>;
  init?: RequestInit;
}

/** Address by address, with the most hostile content that a workspace can put there. */
const CONTENT: [what: string, make: () => Promise<Content>][] = [
  ['an HTML file', async () => ({ url: await file('text/html', HTML) })],
  ['an SVG file', async () => ({ url: await file('image/svg+xml', SVG) })],
  ['an XML file', async () => ({ url: await file('application/xml', `<?xml version="1.0"?>${SVG}`) })],
  ['a script file', async () => ({ url: await file('text/javascript', 'document.title="owned"') })],
  ['a module for a worker', async () => ({ url: await file('application/javascript', 'onfetch = () => 0') })],
  ['a PNG file', async () => ({ url: await file('image/png', PNG) })],
  [
    'a part of an HTML file',
    async () => ({ url: await file('text/html', HTML), headers: { range: 'bytes=15-30' } }),
  ],
  [
    "an inspector's answer",
    async () => {
      const { url } = await create('/inspectors', { answer: { body: HTML } });
      return { url: reachable(app, url), headers: { accept: '*/*' } };
    },
  ],
  [
    "an inspector's page",
    async () => {
      const { url } = await create('/inspectors', { answer: { body: HTML } });
      return { url: `${reachable(app, url)}/${encodeURIComponent(SCRIPT)}?${SCRIPT}` };
    },
  ],
  ['the preview of a link', async () => ({ url: `${await shortLink({})}+` })],
  [
    'the card of a link',
    async () => ({ url: await shortLink({ image: `https://example.com/${SCRIPT}` }), headers: PREVIEW_BOT }),
  ],
  ['the form of a password', async () => ({ url: await shortLink({ password: 'a password' }) })],
  [
    'the answer to a wrong password',
    async () => ({
      url: await shortLink({ password: 'a password' }),
      init: { method: 'POST', body: new URLSearchParams({ password: SCRIPT }) },
    }),
  ],
  [
    'a link that ended',
    async () => {
      const body = { url: 'https://example.com/', external_id: 'over', expires_at: '2020-01-01T00:00:00Z' };
      const answer = await app.call('/links/upsert', { key: home.key, method: 'PUT', body });
      return { url: `${app.base}/${answer.body.slug}` };
    },
  ],
  ['a link that there is not', async () => ({ url: `${app.base}/${encodeURIComponent('no<b>')}` })],
  [
    'an address that there is not',
    async () => ({ url: `${app.base}/no/${encodeURIComponent(SCRIPT)}?${SCRIPT}` }),
  ],
  ['an unknown inspector', async () => ({ url: `${app.base}/inspect/${encodeURIComponent(SCRIPT)}` })],
  ['an unknown endpoint', async () => ({ url: `${app.base}/in/x`, init: { method: 'POST', body: SCRIPT } })],
  ['a call of the API without a session', async () => ({ url: `${app.base}/api/v1/links?search=${SCRIPT}` })],
  ['the document of the API', async () => ({ url: `${app.base}/openapi.json` })],
];

describe('runs nothing on this origin', () => {
  test.each(CONTENT)('%s', async (_what, make) => {
    const { url, headers = {}, init = {} } = await make();
    const answer = await fetch(url, { redirect: 'manual', ...init, headers: { ...BROWSER, ...headers } });
    const text = await answer.text();
    const type = answer.headers.get('content-type') ?? '';
    const policy = (answer.headers.get('content-security-policy') ?? '').split('; ');
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy.filter((rule) => /^(script|worker|object|frame|connect)-src|unsafe/.test(rule))).toEqual(
      [],
    );
    // What no policy holds back: another page of this origin that loads it as its script.
    expect(type).not.toMatch(SCRIPT_TYPES);
    if (type.startsWith('text/html') && !policy.includes('sandbox')) expect(text).not.toContain('<script');
    expect(answer.headers.getSetCookie()).toEqual([]);
  });

  test.each([
    [
      'the QR code of a link',
      async () =>
        `/links/${(await create('/links', { url: `https://example.com/#${SCRIPT}` })).id}/qr?format=svg`,
    ],
    [
      'a file by its id',
      async () => {
        const { body } = await upload(
          app,
          { key: home.key },
          { bytes: Buffer.from(SVG), name: 'a.svg', type: 'image/svg+xml' },
        );
        return `/media/${body.id}/content`;
      },
    ],
  ])('%s', async (_what, make) => {
    const { status, headers, body } = await app.call(await make(), { key: home.key });
    expect(status).toBe(200);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none'; frame-ancestors 'none'; sandbox",
    );
    if (!headers.get('content-disposition')?.startsWith('attachment')) expect(body).not.toContain('<script');
  });
});
