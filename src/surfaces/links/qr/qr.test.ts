import { afterAll, beforeAll, expect, test } from 'vitest';
import { decode, getPixels, pixelsOfSvg } from '../../../../test/support/qr/decode.ts';
import { startTestApp, startWorkspace, type TestApp } from '../../../../test/support/test-app.ts';

let app: TestApp;
let home: Awaited<ReturnType<typeof startWorkspace>>;
let link: { id: string; short_url: string };
const TARGET = 'https://example.com/secret-target';

beforeAll(async () => {
  app = await startTestApp();
  home = await startWorkspace(app, { scopes: ['links:read', 'links:write'] });
  link = await create({ slug: 'launch' });
});
afterAll(() => app.stop());

async function create(fields: object) {
  const answer = await app.call('/links', { key: home.key, body: { url: TARGET, ...fields } });
  expect(answer).toHaveStatus(201);
  return answer.body as { id: string; short_url: string };
}

type Query = Record<string, string | number | undefined>;

async function get(
  id: string,
  query: Query = {},
  { headers = {}, method = 'GET', key = home.key }: { headers?: object; method?: string; key?: string } = {},
) {
  const parameters = Object.entries(query).filter(([, value]) => value !== undefined);
  const search = new URLSearchParams(Object.fromEntries(parameters) as Record<string, string>).toString();
  const response = await fetch(`${app.base}/api/v1/links/${id}/qr?${search}`, {
    method,
    headers: { authorization: `Bearer ${key}`, ...headers },
  });
  return {
    status: response.status,
    headers: response.headers,
    body: Buffer.from(await response.arrayBuffer()),
  };
}

const getProblem = ({ status, body }: Awaited<ReturnType<typeof get>>) => {
  const { code, errors } = JSON.parse(body.toString()) as { code: string; errors?: { pointer: string }[] };
  return [status, code, errors?.[0]?.pointer];
};

test('it is a PNG of the short address, 512 pixels a side, black on white', async () => {
  const { status, headers, body } = await get(link.id);
  expect([status, headers.get('content-type')]).toEqual([200, 'image/png']);
  const pixels = getPixels(body);
  expect(pixels.size).toBe(512);
  expect([...pixels.data.subarray(0, 4)]).toEqual([255, 255, 255, 255]);
  expect(decode(pixels)).toBe(link.short_url);
});

test.each([
  { size: 200, color: '#036', background: '#FFEECC' },
  { size: 301, color: '800000', margin: 0, error_correction: 'L' },
  { size: 1_024, color: '#1a365d', background: 'transparent', margin: 16, error_correction: 'H' },
  { size: 64, margin: 1, error_correction: 'Q' },
])('as PNG and as SVG it reads the same: %j', async (query) => {
  const png = await get(link.id, query);
  const pixels = getPixels(png.body);
  expect(pixels.size).toBe(query.size);
  const svg = await get(link.id, { ...query, format: 'svg' });
  expect(svg.headers.get('content-type')).toBe('image/svg+xml');
  const text = svg.body.toString();
  expect(text).toContain(`width="${query.size}"`);
  expect(text).not.toContain('launch');
  expect(decode(pixelsOfSvg(text, 4))).toBe(link.short_url);
  if (query.size >= 200) expect(decode(pixels)).toBe(link.short_url);
});

test('a transparent one shows what is below it', async () => {
  const { body } = await get(link.id, { background: 'transparent', size: 300 });
  const pixels = getPixels(body);
  expect(pixels.data[3]).toBe(0);
  expect(decode(pixels, [230, 240, 255])).toBe(link.short_url);
});

test.each([
  { color: '#ff0' },
  { color: '#888', background: '#777' },
  { color: '#ffffff', background: '#000000' },
  { color: '#fff', background: 'transparent' },
  { color: '#000', background: '#444' },
])('what can not be scanned is refused: %j', async (query) => {
  expect(getProblem(await get(link.id, query))).toEqual([422, 'contrast_too_low', '?color']);
});

test.each([
  [{ size: 63 }, '?size'],
  [{ size: 4_097 }, '?size'],
  [{ size: '1e3.5' }, '?size'],
  [{ margin: 17 }, '?margin'],
  [{ margin: -1 }, '?margin'],
  [{ color: 'red' }, '?color'],
  [{ color: '#12345' }, '?color'],
  [{ color: 'transparent' }, '?color'],
  [{ background: '"/><script>' }, '?background'],
  [{ format: 'gif' }, '?format'],
  [{ error_correction: 'm' }, '?error_correction'],
  [{ colour: '#000' }, '?colour'],
])('what is no such parameter is told: %j', async (query, pointer) => {
  expect(getProblem(await get(link.id, query as Query))).toEqual([400, 'invalid_request', pointer]);
});

test('a long slug of other letters is read, and refused where it does not fit', async () => {
  const long = await create({ slug: '長'.repeat(100) });
  const { body } = await get(long.id, { size: 2_000, error_correction: 'L' });
  expect(decode(getPixels(body))).toBe(long.short_url);
  expect(getProblem(await get(long.id, { size: 64 }))).toEqual([422, 'code_too_dense', '?size']);
});

test('it is kept by callers as long as it is the same, and HEAD has its headers', async () => {
  const first = await get(link.id);
  const etag = first.headers.get('etag')!;
  expect(first.headers.get('cache-control')).toBe('private, no-cache');
  const again = await get(link.id, {}, { headers: { 'if-none-match': etag } });
  expect([again.status, again.body.length]).toEqual([304, 0]);
  const other = await get(link.id, { size: 513 }, { headers: { 'if-none-match': etag } });
  expect(other).toHaveStatus(200);
  const head = await get(link.id, {}, { method: 'HEAD' });
  expect([head.status, head.body.length, head.headers.get('content-length')]).toEqual([
    200,
    0,
    String(first.body.length),
  ]);
  expect(head.headers.get('etag')).toBe(etag);
  const moved = await app.call(`/links/${link.id}`, {
    key: home.key,
    method: 'PATCH',
    body: { slug: 'launched' },
  });
  expect(moved).toHaveStatus(200);
  const changed = await get(link.id, {}, { headers: { 'if-none-match': etag } });
  expect(decode(getPixels(changed.body))).toBe(moved.body.short_url);
  link = moved.body;
});

test('its name is safe to save under, and no browser runs anything of it', async () => {
  const { headers } = await get((await create({ slug: 'größe-1' })).id, { format: 'svg' });
  expect(headers.get('content-disposition')).toBe(
    `inline; filename="gr__e-1-qr.svg"; filename*=UTF-8''gr%C3%B6%C3%9Fe-1-qr.svg`,
  );
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('content-security-policy')).toContain('sandbox');
});

test('whatever Accept says it is a picture; another workspace sees none', async () => {
  const accepted = await get(link.id, {}, { headers: { accept: 'image/svg+xml' } });
  expect([accepted.status, accepted.headers.get('content-type')]).toEqual([200, 'image/png']);
  const stranger = await startWorkspace(app, { scopes: ['links:read'] });
  expect(getProblem(await get(link.id, {}, { key: stranger.key }))).toEqual([404, 'not_found', undefined]);
  const scopeless = await startWorkspace(app, { scopes: ['webhooks:read'] });
  expect(getProblem(await get(link.id, {}, { key: scopeless.key }))[0]).toBe(403);
});
