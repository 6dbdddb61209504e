/** Numbers of others keep their digits, wherever a publication shows, compares or sends them. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { PATIENCE } from '../../../../test/support/patience.ts';
import {
  type Endpoint,
  type PublishingWorld,
  startPublishing,
} from '../../../../test/support/automation/publications.ts';

let world: PublishingWorld;
beforeAll(async () => {
  world = await startPublishing();
});
afterAll(() => world.app.stop());

const ONE = '{"id": 8202522731445525542, "price": 10.00, "huge": 1e400}';
const OTHER = ONE.replace('542,', '543,');
const FIRST = '8202522731445525542 10.00';
/** As PostgreSQL stores them: without an exponent. */
const STORED = `"id":8202522731445525542,"huge":1${'0'.repeat(400)},"price":10.00`;

/** Sends and reads text, which JSON.parse would change. */
async function ask(url: string, body?: string, headers: Record<string, string> = {}) {
  const answer = await fetch(url.replace(world.app.config.baseUrl, world.app.base), {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  });
  const text = await answer.text();
  return { status: answer.status, text, body: JSON.parse(text) };
}
const askApi = (path: string, body?: string, headers: Record<string, string> = {}) =>
  ask(`${world.app.base}/api/v1${path}`, body, { authorization: `Bearer ${world.home.key}`, ...headers });
const post = (endpoint: Endpoint, body: string) => ask(endpoint.url, body);

const TEMPLATE = '{{ payload.id }} {{ payload.price }} {{ payload.huge }}';
const endpoint = (more: object = {}) =>
  world.endpoint({ destinations: [world.destination({ template: TEMPLATE })], ...more });

async function sentText(id: string): Promise<string> {
  const [{ message_id: message }] = (await world.until(id, 'published')).results;
  return (await world.call(`/messages/${message}`)).body.text.body;
}

test('two identifiers that are one double are two events, sent as they came', async () => {
  const made = await endpoint({ dedupe_key: '{{ payload.id }}' });
  const first = await post(made, ONE);
  const second = await post(made, OTHER);
  expect([first.body.status, second.body.status]).toEqual(['received', 'received']);
  expect((await post(made, ONE)).body).toMatchObject({ status: 'duplicate', duplicate_of: first.body.id });
  expect(await sentText(first.body.id)).toBe('8202522731445525542 10.00 1e400');
  expect(await sentText(second.body.id)).toBe('8202522731445525543 10.00 1e400');
});

test('a form and its parts keep them too', async () => {
  const made = await endpoint();
  const text = '{{ payload.data.id }} {{ payload.data.price }}';
  const parts = await world.endpoint({ destinations: [world.destination({ template: text })] });
  const part = `--x\r\ncontent-disposition: form-data; name="data"\r\ncontent-type: application/json\r\n\r\n${ONE}\r\n--x--\r\n`;
  for (const [to, type, body, expected] of [
    [made, 'application/x-www-form-urlencoded', `payload=${encodeURIComponent(ONE)}`, `${FIRST} 1e400`],
    [parts, 'multipart/form-data; boundary=x', part, FIRST],
  ] as const) {
    const answer = await ask(to.url, body, { 'content-type': type });
    expect([type, answer.status]).toEqual([type, 202]);
    expect(await sentText(answer.body.id)).toBe(expected);
  }
});

test('a filter holds for the number alone', async () => {
  for (const [filter, passing] of [
    ['payload.id == 8202522731445525542', ONE],
    ['payload.id > 8202522731445525542', OTHER],
    ['payload.id <= 8202522731445525542 and payload.price == 10 and payload.huge > payload.id', ONE],
  ] as const) {
    const made = await endpoint({ filter });
    for (const body of [ONE, OTHER])
      expect([filter, body, (await post(made, body)).body.status]).toEqual([
        filter,
        body,
        body === passing ? 'received' : 'canceled',
      ]);
  }
});

test('a publication, its sample, a test and a replay show the digits', async () => {
  const made = await endpoint();
  const { id } = (await post(made, ONE)).body;
  await world.until(id, 'published');
  expect((await askApi(`/publications/${id}`)).text).toContain(STORED);
  await vi.waitFor(
    async () => expect((await askApi(`/publishing-endpoints/${made.id}/samples`)).text).toContain(STORED),
    PATIENCE,
  );
  const sampled = await askApi(`/publishing-endpoints/${made.id}/test`, '{}');
  expect([sampled.text, sampled.text]).toEqual([
    expect.stringContaining(STORED),
    expect.stringContaining(`8202522731445525542 10.00 1${'0'.repeat(400)}`),
  ]);
  const tested = await askApi(
    `/publishing-endpoints/${made.id}/test`,
    `{"payload": ${ONE}, "dedupe_key": "{{ payload.id }}"}`,
  );
  expect(tested.body.dedupe_key).toBe('8202522731445525542');
  expect(tested.text).toContain('"id":8202522731445525542,"price":10.00,"huge":1e400');
  const draft = { destinations: [world.destination({ template: TEMPLATE })] };
  const drafted = await askApi(
    '/publishing-endpoints/test',
    `{"payload": ${ONE}, ${JSON.stringify(draft).slice(1)}`,
  );
  expect(drafted.body.destinations[0].message.text.body).toBe('8202522731445525542 10.00 1e400');
  const replayed = await askApi(`/publications/${id}/replay`, '{}');
  expect(await sentText(replayed.body.id)).toMatch(/^8202522731445525542 10\.00 10{400}$/);
  expect((await askApi(`/publications/${replayed.body.id}`)).text).toContain(STORED);
});

test('one Idempotency-Key does not answer for another number', async () => {
  const { id } = await endpoint({ auth: { type: 'bearer' } });
  const publish = (body: string) => askApi(`/publish/${id}`, body, { 'idempotency-key': 'one' });
  expect(await publish(ONE)).toHaveStatus(202);
  expect(await publish(ONE)).toHaveStatus(202);
  expect((await publish(OTHER)).body.code).toBe('idempotency_mismatch');
  const link = (more: string) =>
    askApi('/links', `{"url": "https://example.com/", "max_clicks": ${more}}`, { 'idempotency-key': 'two' });
  const [first, same, other] = [await link('10'), await link('10'), await link('10.00')];
  expect([first.status, same.body.id, other.body.code]).toEqual([201, first.body.id, 'idempotency_mismatch']);
});

test('what has too many digits, or names a prototype, is refused', async () => {
  const made = await endpoint();
  for (const number of ['1e999999999', '-1e-999999999', '9'.repeat(100_000), `0.${'0'.repeat(1_000)}1`])
    expect((await post(made, `{"id": ${number}}`)).body.code).toBe('invalid_json');
  expect((await post(made, `[${Array(10_000).fill('1e999').join(',')}]`)).body.code).toBe('invalid_json');
  expect((await post(made, '{"a": {"__proto__": {"id": 10.00}}}')).body.code).toBe('invalid_json');
  expect((await post(made, `${'['.repeat(100)}10.00${']'.repeat(100)}`)).body.code).toBe('invalid_json');
  expect(
    (await askApi('/links', '{"url": "https://example.com/", "max_clicks": 1e999999999}')).body.code,
  ).toBe('invalid_json');
  const { body } = await post(made, `{"id": 10.00, "huge": 1e999, "text": "\\u00e9", "0": -0}`);
  expect(await sentText(body.id)).toBe('10.00  1e999');
});
