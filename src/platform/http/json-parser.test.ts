import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, expect, test } from 'vitest';
import { addJsonParser } from './json-parser.ts';

let app: FastifyInstance;
afterEach(() => app.close());

/** Records when bodies were parsed, and each turn of the event loop. */
function start(): string[] {
  const log: string[] = [];
  app = Fastify({ bodyLimit: 4 * 1024 * 1024 });
  addJsonParser(app, async ({ headers }) => [String(headers['x-caller'])]);
  app.post('/', async ({ headers }) => {
    log.push(String(headers['x-caller']));
    setImmediate(() => log.push('-'));
    return {};
  });
  return log;
}

const LARGE = JSON.stringify({ list: Array.from({ length: 40_000 }, () => ({})) });
const post = (caller: string, payload = LARGE) =>
  app.inject({
    method: 'POST',
    url: '/',
    headers: { 'content-type': 'application/json', 'x-caller': caller },
    payload,
  });

test.each([1, 2, 4, 16])('large bodies of %i callers take turns with those of another', async (attackers) => {
  const log = start();
  await app.ready();
  const flood = Array.from({ length: 8 * attackers }, (_, n) => post(`a${n % attackers}`));
  const own = post('victim');
  await Promise.all([...flood, own]);
  const parsed = log.filter((entry) => entry !== '-');
  expect(parsed).toHaveLength(8 * attackers + 1);
  // One that was being parsed, and one of each caller.
  expect(parsed.indexOf('victim')).toBeLessThanOrEqual(attackers + 1);
});

test('the event loop comes round between two of them', async () => {
  const log = start();
  await app.ready();
  await Promise.all(Array.from({ length: 10 }, () => post('a')));
  expect(log.filter((entry) => entry === 'a')).toHaveLength(10);
  // The callback of the first may come with the second.
  expect(log.join('')).not.toContain('aaa');
});

test('of too many, the newest of the caller with the most is rejected, and a small one never waits', async () => {
  start();
  await app.ready();
  const flood = Array.from({ length: 300 }, () => post('a'));
  const others = [post('b'), post('a', '{}')];
  const statuses = (await Promise.all(flood)).map(({ statusCode }) => statusCode);
  expect(statuses.filter((status) => status === 503).length).toBeGreaterThan(0);
  expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(256);
  expect((await Promise.all(others)).map(({ statusCode }) => statusCode)).toEqual([200, 200]);
});

test('a body that is not JSON is rejected like a small one', async () => {
  start();
  for (const payload of ['{', `${LARGE}}`]) {
    const { statusCode } = await post('a', payload);
    expect(statusCode).toBeGreaterThanOrEqual(400);
  }
});
