/** The reference as the server serves it: pages, files, the document. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { escapeHtml } from '../../src/app/reference/markdown.ts';
import { ERRORS } from '../../src/platform/http/errors.ts';
import { ensurePagesBuilt } from '../../scripts/build/bundles.js';
import { startTestApp, type TestApp } from '../support/test-app.ts';

const quiet = { info() {} };
let app: TestApp;

beforeAll(async () => {
  await ensurePagesBuilt(quiet);
  app = await startTestApp({}, undefined, true);
});
afterAll(() => app.stop());

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${app.base}${path}`, { headers, redirect: 'manual' });

const directives = (response: Response) =>
  new Map(
    (response.headers.get('content-security-policy') ?? '').split('; ').map((part) => {
      const [name = '', ...values] = part.split(' ');
      return [name, values];
    }),
  );

describe('pages', () => {
  test.for(['/docs', '/docs/', '/docs/errors', '/docs/errors/'])(
    '%s is a page under a strict policy',
    async (path) => {
      const response = await get(path);
      expect(response).toHaveStatus(200);
      expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(response.headers.get('cache-control')).toBe('no-store');
      const policy = directives(response);
      expect(policy.get('default-src')).toEqual(["'none'"]);
      expect(policy.get('script-src')).toEqual(["'self'"]);
      expect(policy.get('connect-src')).toEqual(["'self'"]);
      expect(policy.get('frame-ancestors')).toEqual(["'none'"]);
      expect([...policy.values()].flat()).not.toContain("'unsafe-inline'");
      const nonce = policy.get('style-src')?.find((value) => value.startsWith("'nonce-"));
      expect(await response.text()).toContain(`nonce="${nonce?.slice(7, -1)}"`);
    },
  );

  test('each answer has a nonce of its own', async () => {
    const [one, two] = await Promise.all([get('/docs'), get('/docs')]);
    expect(directives(one).get('style-src')).not.toEqual(directives(two).get('style-src'));
  });

  test('name files of this server alone', async () => {
    for (const path of ['/docs', '/docs/errors']) {
      const html = await (await get(path)).text();
      const named = [...html.matchAll(/<(?:script|link|img)[^>]*(?:src|href)="([^"]+)"/g)].map(
        ([, url]) => url,
      );
      expect(named.length).toBeGreaterThan(2);
      for (const url of named) {
        expect(url).toMatch(/^\/docs\//);
        expect((await get(url!)).status, url).toBe(200);
      }
    }
  });

  test('what is not there is a problem', async () => {
    const response = await get('/docs/assets/none.js');
    expect(response).toHaveStatus(404);
    expect(await response.json()).toMatchObject({ code: 'not_found' });
  });
});

describe('the first view', () => {
  const html = async (): Promise<string> => (await get('/docs')).text();

  test('has every operation: its anchor, method, path, summary and parameters', async () => {
    const page = await html();
    for (const { spec } of app.app.operations) {
      const anchor = `tag/${spec.tag.toLowerCase().replaceAll(' ', '-')}/${spec.id}`;
      const article = page.slice(page.indexOf(`<article id="${anchor}">`)).split('</article>')[0]!;
      expect(article, spec.id).toContain(`data-method="${spec.method.toLowerCase()}"`);
      expect(article, spec.id).toContain(`/api/v1${spec.path.replace('*}', '}')}</code>`);
      expect(article, spec.id).toContain(escapeHtml(spec.summary));
      const parameters = JSON.parse(JSON.stringify(spec.query ?? {})) as { properties?: object };
      for (const name of Object.keys(parameters.properties ?? {}))
        expect(article, spec.id).toContain(`<code>${name}</code>`);
    }
    expect(page).toContain('<h2 id="description/authentication">Authentication</h2>');
    expect(page.indexOf('Create an API key</a>')).toBeGreaterThan(page.indexOf('id="tag/api-keys"'));
  });

  test('has each anchor once, and leads nowhere else', async () => {
    const page = await html();
    const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id!);
    expect(ids.filter((id, nth) => ids.indexOf(id) !== nth)).toEqual([]);
    const linked = [...page.matchAll(/href="#([^"]+)"/g)].map(([, anchor]) => anchor!);
    expect(linked.length).toBeGreaterThan(app.app.operations.length);
    expect(linked.filter((anchor) => !ids.includes(anchor))).toEqual([]);
    expect(page).not.toContain('`');
    expect(page).not.toMatch(/(href|src)="(https?:)?\/\//);
  });

  test('is compressed, to less than 60 KB', async () => {
    const response = await get('/docs', { 'accept-encoding': 'br' });
    expect(response.headers.get('content-encoding')).toBe('br');
    expect(response.headers.get('vary')).toContain('Accept-Encoding');
    const { rawPayload } = await app.app.server.inject({
      url: '/docs',
      headers: { host: new URL(app.base).host, 'accept-encoding': 'br' },
    });
    expect(rawPayload.length).toBeLessThan(60_000);
    expect(await response.text()).toContain('</html>');
  });
});

describe('files', () => {
  test('are compressed beforehand and kept for ever', async () => {
    const html = await (await get('/docs')).text();
    const [, script] = /src="(\/docs\/assets\/[^"]+\.js)"/.exec(html) ?? [];
    const packed = await get(script!, { 'accept-encoding': 'gzip, br' });
    expect(packed.headers.get('content-encoding')).toBe('br');
    expect(packed.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    const etag = packed.headers.get('etag')!;
    expect(await get(script!, { 'accept-encoding': 'br', 'if-none-match': etag })).toHaveStatus(304);
  });
});

describe('/docs/errors', () => {
  test('has a place for the type of every problem', async () => {
    const html = await (await get('/docs/errors')).text();
    for (const [code, { title }] of Object.entries(ERRORS)) {
      expect(html).toContain(`id="${code}"`);
      expect(html).toContain(title.replaceAll("'", '&#39;'));
    }
    const problem = (await (await get('/api/v1/me')).json()) as { type: string; code: string };
    const { pathname, hash } = new URL(problem.type);
    expect(pathname).toBe('/docs/errors');
    expect(html).toContain(`id="${hash.slice(1)}"`);
  });

  test('links to operations that the document has', async () => {
    const html = await (await get('/docs/errors')).text();
    const ids = new Set(app.app.operations.map(({ spec }) => spec.id as string));
    const linked = [...html.matchAll(/href="\/docs#tag\/[a-z-]+\/([^"]+)"/g)].map(([, id]) => id!);
    expect(linked.length).toBeGreaterThan(10);
    expect(linked.filter((id) => !ids.has(id))).toEqual([]);
  });
});

describe('/openapi.json', () => {
  test('names the address that it was asked for', async () => {
    for (const host of ['localhost', '127.0.0.1']) {
      const base = app.base.replace('localhost', host);
      const document = (await (await fetch(`${base}/openapi.json`)).json()) as {
        openapi: string;
        servers: { url: string }[];
      };
      expect(document.openapi).toMatch(/^3\.1/);
      expect(document.servers[0]?.url).toBe(base);
    }
  });

  test('names BASE_URL where a proxy ends TLS without saying so', async () => {
    const behind = await startTestApp({ BASE_URL: 'https://fairlead.test' }, app);
    try {
      const { body } = await behind.app.server.inject({
        url: '/openapi.json',
        headers: { host: 'fairlead.test' },
      });
      expect((JSON.parse(body) as { servers: unknown }).servers).toEqual([
        { url: 'https://fairlead.test', description: 'This server' },
      ]);
    } finally {
      await behind.stop();
    }
  });

  test('is read by any page of any site, without credentials', async () => {
    const response = await get('/openapi.json', { origin: 'https://elsewhere.example' });
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(response.headers.get('access-control-allow-credentials')).toBeNull();
    expect(response.headers.get('cross-origin-resource-policy')).toBe('cross-origin');
  });

  test('is compressed, and 304 while it is the same', async () => {
    const response = await get('/openapi.json', { 'accept-encoding': 'br' });
    expect(response.headers.get('content-encoding')).toBe('br');
    expect(response.headers.get('cache-control')).toBe('no-cache');
    const etag = response.headers.get('etag')!;
    expect(await get('/openapi.json', { 'accept-encoding': 'br', 'if-none-match': etag })).toHaveStatus(304);
    expect(await get('/openapi.json', { 'if-none-match': '"other"' })).toHaveStatus(200);
  });

  test('has a place for every tag, a description and an example for every property', async () => {
    const document = (await (await get('/openapi.json')).json()) as Json;
    expect(getErrors(document)).toEqual([]);
  });
});

// oxlint-disable-next-line typescript/no-explicit-any -- a document is any JSON
type Json = any;

const holdsSchemas = (part: Json): boolean =>
  part.properties !== undefined ||
  JSON.stringify(part).includes('"$ref"') ||
  /"properties":/.test(JSON.stringify(part));

/** What a reader would miss, by its place in the document. */
function getErrors(document: Json): string[] {
  const faults: string[] = [];
  const walk = (part: Json, at: string): void => {
    if (part === null || typeof part !== 'object') return;
    if (part.properties && typeof part.properties === 'object' && !Array.isArray(part))
      for (const [name, property] of Object.entries<Json>(part.properties)) {
        if (property.$ref) continue;
        if (!property.description) faults.push(`${at}.${name} has no description`);
        if (!holdsSchemas(property) && !property.examples && property.const === undefined)
          faults.push(`${at}.${name} has no example`);
      }
    for (const [name, inner] of Object.entries(part))
      if (!['examples', 'example', 'default', 'enum', 'const'].includes(name)) walk(inner, `${at}/${name}`);
  };
  walk(document.paths, '');
  // What the previous values of an object mean is said where the object is.
  const schemas = Object.entries(document.components.schemas).filter(
    ([name]) => !name.endsWith('PreviousAttributes'),
  );
  walk(Object.fromEntries(schemas), 'schemas');
  const grouped = document['x-tagGroups'].flatMap(({ tags }: { tags: string[] }) => tags);
  for (const operations of Object.values<Json>(document.paths))
    for (const { operationId, tags, summary } of Object.values<Json>(operations)) {
      if (!summary) faults.push(`${operationId} has no summary`);
      for (const tag of tags)
        if (!grouped.includes(tag)) faults.push(`${operationId}: ${tag} is in no group`);
    }
  return faults;
}
