/** The query parameter `search` of the lists that go by name, which works alike in all of them. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, startWorkspace, type TestApp } from '../../test/support/test-app.ts';

let app: TestApp;
let home: Awaited<ReturnType<typeof startWorkspace>>;
let stranger: Awaited<ReturnType<typeof startWorkspace>>;
let instance: string;
beforeAll(async () => {
  app = await startTestApp({ ROLE: 'api' });
  [home, stranger] = [await startWorkspace(app), await startWorkspace(app)];
  instance = (await create('/instances', { name: 'Box', channel: 'sandbox' })).id;
});
afterAll(() => app.stop());

async function create(path: string, body: object) {
  const answer = await app.call(path, { key: home.key, body });
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
  return answer.body;
}
const find = async (path: string, search: string, key = home.key): Promise<string[]> => {
  const { status, body } = await app.call(`${path}?search=${encodeURIComponent(search)}`, { key });
  expect(status).toBe(200);
  return body.data.map(({ id }: { id: string }) => id);
};

const action = { type: 'call_webhook', name: 'one', url: 'https://hooks.example/rule' };
test.each<[string, (name: string) => object]>([
  ['/instances', (name) => ({ name, channel: 'sandbox' })],
  ['/api-keys', (name) => ({ name, preset: 'links' })],
  [
    '/webhooks',
    (name) => ({
      description: name,
      url: `https://hooks.example/${encodeURIComponent(name)}`,
      events: ['*'],
    }),
  ],
  ['/rules', (name) => ({ name, events: ['link.created'], actions: [action] })],
  [
    '/publishing-endpoints',
    (name) => ({
      name,
      destinations: [{ instance_id: instance, to: 'alice', template: 'Hello' }],
      auth: { type: 'bearer' },
    }),
  ],
])('%s?search= finds names that contain it, in any case', async (path, toBody) => {
  const first = (await create(path, toBody('Spring 100% Sale'))).id;
  const second = (await create(path, toBody('Spring_Two'))).id;
  expect(await find(path, 'SPRING')).toEqual([second, first]);
  expect(await find(path, '100% s')).toEqual([first]);
  expect(await find(path, 'g_t')).toEqual([second]);
  expect(await find(path, 'spring%sale')).toEqual([]);
  expect(await find(path, 'spring', stranger.key)).toEqual([]);
  expect(await app.call(`${path}?search=`, { key: home.key })).toHaveStatus(400);
});

describe('other texts', () => {
  test('webhooks are found by their URL', async () => {
    const { id } = await create('/webhooks', { url: 'https://crm.example/Inbox', events: ['*'] });
    expect(await find('/webhooks', 'crm.example/inbox')).toEqual([id]);
  });

  test('domains are found by a part of their host', async () => {
    const { id } = await create('/domains', { host: 'go.search-test.example' });
    expect(await find('/domains', 'Search-Test')).toEqual([id]);
    expect(await find('/domains', 'other')).toEqual([]);
  });

  test('members are found by name or email', async () => {
    const [owner] = (await app.call('/members', { key: home.key })).body.data;
    expect(await find('/members', owner.email.slice(0, 8).toUpperCase())).toEqual([owner.id]);
    expect(await find('/members', owner.name.slice(1))).toEqual([owner.id]);
    expect(await find('/members', 'nobody')).toEqual([]);
  });
});
