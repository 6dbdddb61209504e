import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { PATIENCE } from '../../../test/support/patience.ts';
import { newUuid } from '../../platform/http/ids.ts';
import { toUuid } from '../vocabulary/ids.ts';
import { startTestApp, startWorkspace, type TestApp } from '../../../test/support/test-app.ts';
import { openSse, type SseReader } from '../../../test/support/events/sse.ts';
import { createEventInterest, type EventInterest } from './wants.ts';

let app: TestApp;
const open: SseReader[] = [];

beforeAll(async () => {
  app = await startTestApp();
});
afterEach(() => {
  for (const reader of open.splice(0)) reader.close();
});
afterAll(() => app.stop());

const rows = async () =>
  (await app.database.pool.query('select workspace_id, type, until > now() as held from event_wants')).rows;
const getRequirements = (subscribed: string[] = []): EventInterest =>
  createEventInterest({ db: app.database.db, subscribed: async () => subscribed, log: { warn() {} } });
const wanting = async (interest: EventInterest, ...ids: string[]): Promise<string[]> =>
  [...(await interest.wantedBy(app.database.db, ids, 'link.clicked'))].sort();

test('an open stream is seen by all processes, for as long as one of its kind is open', async () => {
  const [here, there] = [getRequirements(), getRequirements()];
  const [mine, other] = [newUuid(), newUuid()];
  const leave = await here.hold(mine, null);
  const leaveToo = await here.hold(mine, ['link.clicked']);
  await here.hold(other, ['ping', 'link.created']);
  expect(await wanting(there, mine, other)).toEqual([mine]);
  leave();
  leave();
  expect(await wanting(there, mine, other)).toEqual([mine]);
  leaveToo();
  await vi.waitFor(async () => expect(await wanting(there, mine)).toEqual([]), PATIENCE);
  const again = await here.hold(mine, null);
  expect(await wanting(there, mine)).toEqual([mine]);
  again();
  const last = await here.hold(mine, null);
  await here.stop();
  expect(await wanting(there, mine)).toEqual([]);
  last();
  await there.stop();
});

test('what a process held that died is over after its lease, and a live one renews', async () => {
  const [living, dead] = [getRequirements(), getRequirements()];
  const [one, two] = [newUuid(), newUuid()];
  await living.hold(one, null);
  await dead.hold(two, null);
  await app.database.pool.query(`update event_wants set until = now() - interval '1 ms'`);
  expect(await wanting(getRequirements(), two)).toEqual([]);
  await vi.waitFor(async () => expect(await wanting(getRequirements(), one)).toEqual([one]), PATIENCE);
  await living.stop();
  await dead.stop();
});

test('webhooks want what their patterns mean while they are enabled', async () => {
  const home = await startWorkspace(app);
  const id = toUuid('workspace', home.workspace)!;
  const { subscribedWorkspaces } = await import('../webhooks/subscribed.system-store.ts');
  const subscribed = () => subscribedWorkspaces(app.database.db, [id, newUuid()], 'link.clicked');
  const make = (events: string[]) =>
    app.call('/webhooks', { key: home.key, body: { url: 'https://example.com/hook', events } });
  expect(await make(['link.created', 'message.*'])).toHaveStatus(201);
  expect(await subscribed()).toEqual([]);
  for (const events of [['link.clicked'], ['link.*'], ['*']]) {
    const made = await make(events);
    expect(made).toHaveStatus(201);
    expect(await subscribed()).toEqual([id]);
    const off = await app.call(`/webhooks/${made.body.id}`, {
      key: home.key,
      method: 'PATCH',
      body: { enabled: false },
    });
    expect(off).toHaveStatus(200);
    expect(await subscribed()).toEqual([]);
  }
});

test('a stream wants on-demand types that its filter and scopes let pass, until it ends', async () => {
  const home = await startWorkspace(app);
  const id = toUuid('workspace', home.workspace)!;
  const heldTypes = async () =>
    (await rows()).filter((row) => row.workspace_id === id && row.held).map(({ type }) => type as string);
  const follow = async (query: string, key = home.key) => {
    const reader = await openSse(`${app.base}/api/v1/events/stream${query}`, {
      authorization: `Bearer ${key}`,
    });
    open.push(reader);
    return reader;
  };
  const made = await home.owner.call('/api-keys', {
    workspace: home.workspace,
    body: { name: 'few', scopes: ['events:read', 'webhooks:read'] },
  });
  await follow('', made.body.secret);
  await follow('?type=link.created,ping');
  const all = await follow('');
  await vi.waitFor(async () => expect(await heldTypes()).toContain('link.clicked'), PATIENCE);
  all.close();
  await vi.waitFor(async () => expect(await heldTypes()).toEqual([]), PATIENCE);
});

test('the catalog tells which types are made on demand', async () => {
  const home = await startWorkspace(app);
  const types = (await app.call('/event-types', { key: home.key })).body.data;
  const onDemand = types
    .filter((type: { on_demand: boolean }) => type.on_demand)
    .map(({ id }: { id: string }) => id);
  expect(onDemand).toContain('link.clicked');
  expect(onDemand).not.toContain('link.created');
  const clicked = types.find(({ id }: { id: string }) => id === 'link.clicked');
  expect(clicked.sample.data).toMatchObject({ object: { object: 'link' }, click: { object: 'click' } });
});
