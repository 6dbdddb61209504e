import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createdKeys } from '../api-keys/created-keys.ts';
import { endExpiredKeys } from '../api-keys/expired-keys.ts';
import { createUnits, type Units } from '../unit/unit-of-work.ts';
import { createEventWriter } from '../unit/event-writer.ts';
import { toUuid } from '../vocabulary/ids.ts';
import type { JobPayloads } from '../../platform/jobs/job-queue.ts';
import { startTestApp, startWorkspace, type TestApp } from '../../../test/support/test-app.ts';
import { createdWebhooks } from '../webhooks/created-webhooks.ts';
import { getEvents, type Home, join, makeKey, outcome } from '../../../test/support/workspaces.ts';
import { performDisable } from './created-object.service.ts';

type Payload = JobPayloads['created-objects.disable'];

const ALL = ['webhooks', 'rules', 'publishing', 'instances', 'api_keys'].flatMap((name) => [
  `${name}:read`,
  `${name}:write`,
]);
// The effects of rules and endpoints require their own scopes.
const SCOPES = [...ALL, 'messages:read', 'messages:write'];

let app: TestApp;
let home: Home;
const jobs: Payload[] = [];
let units: Units;

// Nothing runs in the background: the call itself does everything that the tests check.
beforeAll(async () => {
  app = await startTestApp({ ROLE: 'api' });
  home = await startWorkspace(app, { scopes: SCOPES });
  units = createUnits({
    db: app.database.db,
    events: createEventWriter(() => {}),
    jobs: { enqueue: async (_db, _name, payload) => void jobs.push(payload as Payload) },
  });
});
afterAll(() => app.stop());

const asOwner = (path: string, body?: unknown, method?: string) =>
  home.owner.call(path, { workspace: home.workspace, body, method });

/** Creates a key. */
async function createKey(body: object = {}): Promise<{ id: string; secret: string }> {
  const { status, body: key } = await asOwner('/api-keys', {
    name: 'Deploy',
    scopes: SCOPES,
    rate_limit: null,
    ...body,
  });
  expect(status).toBe(201);
  return key;
}

type Call = (path: string, body?: unknown, method?: string) => ReturnType<TestApp['call']>;
const by =
  (key: string): Call =>
  (path, body, method) =>
    app.call(path, { key, body, method });

let hosts = 0;
async function createWebhook(call: Call): Promise<string> {
  const url = `https://host${++hosts}.example.com/secret-path`;
  const { status, body } = await call('/webhooks', { url, events: ['message.received'] });
  expect(status).toBe(201);
  return body.id;
}

/** Creates one object of each kind. @returns their IDs, the oldest first, and the public addresses */
async function createEach(call: Call) {
  const made = async (path: string, body: object) => {
    const answer = await call(path, body);
    expect([path, answer.status, answer.body.detail]).toEqual([path, 201, undefined]);
    return answer.body;
  };
  const instance = await made('/instances', { name: `Support ${++hosts}`, channel: 'sandbox' });
  expect(await call(`/instances/${instance.id}/connect`, undefined, 'POST')).toHaveStatus(202);
  const message = { instance_id: instance.id, to: 'alice', template: 'Hello' };
  const webhook = await createWebhook(call);
  const inspector = await made('/inspectors', { name: 'First try' });
  const endpoint = await made('/publishing-endpoints', {
    name: 'Blog',
    auth: { type: 'secret_url' },
    destinations: [message],
  });
  const rule = await made('/rules', {
    name: 'Greet',
    events: ['message.received'],
    actions: [{ type: 'send_message', ...message }],
  });
  const key = await made('/api-keys', { name: 'Child', scopes: ['webhooks:write', 'messages:read'] });
  const grandchild = await createWebhook(by(key.secret));
  return {
    ids: [instance.id, webhook, inspector.id, endpoint.id, rule.id, key.id, grandchild] as string[],
    inspectorUrl: inspector.url as string,
    endpointUrl: endpoint.url as string,
    childSecret: key.secret as string,
  };
}

const NAMES = ['First try', 'Blog', 'Greet', 'Child'];
const getPath = (id: string) => `/${id.startsWith('usr_') ? 'members' : 'api-keys'}/${id}/created-objects`;
const toList = async (id: string, query = '', call: Call = asOwner) =>
  (await call(getPath(id) + query)).body.data as {
    id: string;
    type: string;
    name: string;
    enabled: boolean;
    created_by: string;
  }[];
const getEnabled = async (id: string) =>
  (await toList(id)).map(({ type, enabled }) => [type, enabled] as const);
const revoke = (id: string, body?: object) => asOwner(`/api-keys/${id}/revoke`, body, 'POST');
const eventsAbout = async (ids: string[]) =>
  (await getEvents(app, toUuid('workspace', home.workspace)!)).filter(({ data }) =>
    ids.includes(data.object.id),
  );
const getStatus = async (url: string, body: string) =>
  (
    await fetch(app.base + new URL(url).pathname, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
    })
  ).status;

describe('what a key created', () => {
  test('is listed, newest first, with what the keys that it created have created', async () => {
    const key = await createKey();
    const { ids } = await createEach(by(key.secret));
    const list = await toList(key.id);
    expect(list.map(({ id }) => id)).toEqual(ids.toReversed());
    expect(list.map(({ type }) => type)).toEqual([
      'webhook',
      'api_key',
      'rule',
      'publishing_endpoint',
      'inspector',
      'webhook',
      'instance',
    ]);
    expect(list.every(({ enabled }) => enabled)).toBe(true);
    expect(list.map(({ name }) => name)).toEqual(expect.arrayContaining(NAMES));
    expect(list.at(-2)!.name).toBe(`host${hosts - 1}.example.com`);
    expect(list[0]!.created_by).toBe(list[1]!.id);
    const first = await asOwner(`${getPath(key.id)}?limit=4`);
    const rest = await asOwner(`${getPath(key.id)}?limit=4&cursor=${first.body.next_cursor}`);
    expect([...first.body.data, ...rest.body.data]).toEqual(list);
    expect([first.body.has_more, rest.body.has_more]).toEqual([true, false]);
  });

  test('shows the kinds that the reader may read, and nothing of another workspace', async () => {
    const key = await createKey();
    await createEach(by(key.secret));
    const rules = by(await makeKey(home, { scopes: ['api_keys:read', 'rules:read'] }));
    expect((await toList(key.id, '', rules)).map(({ type }) => type)).toEqual(['api_key', 'rule']);
    const lacking = by(await makeKey(home, { scopes: ['rules:read'] }));
    expect(outcome(await lacking(getPath(key.id)))).toEqual([403, 'insufficient_scope']);
    const other = await startWorkspace(app);
    for (const id of [key.id, home.owner.userId])
      expect(outcome(await other.owner.call(getPath(id), { workspace: other.workspace }))).toEqual([
        404,
        'not_found',
      ]);
    const ada = await join(app, home, 'viewer');
    expect(await toList(ada.userId)).toEqual([]);
  });
});

describe('revoking a key', () => {
  test('keeps what it created, and lists it', async () => {
    const key = await createKey();
    const { ids, inspectorUrl, endpointUrl } = await createEach(by(key.secret));
    const { status, body } = await revoke(key.id);
    expect([status, body.state]).toEqual([200, 'revoked']);
    expect(body.created_objects.data.map(({ id }: { id: string }) => id)).toEqual(ids.toReversed());
    expect(body.created_objects.data.every(({ enabled }: { enabled: boolean }) => enabled)).toBe(true);
    expect((await getEnabled(key.id)).every(([, enabled]) => enabled)).toBe(true);
    expect([await getStatus(inspectorUrl, '{}'), await getStatus(endpointUrl, '{}')]).toEqual([200, 202]);
  });

  test('disables all of it in the same call, with events, if asked to', async () => {
    const key = await createKey();
    const { ids, inspectorUrl, endpointUrl, childSecret } = await createEach(by(key.secret));
    const foreign = await createWebhook(by(home.key));
    const { status, body } = await revoke(key.id, { disable_created: true });
    expect(status).toBe(200);
    expect(body.created_objects.data.map(({ id }: { id: string }) => id)).toEqual(ids.toReversed());
    expect(body.created_objects.data.some(({ enabled }: { enabled: boolean }) => enabled)).toBe(false);
    expect((await getEnabled(key.id)).some(([, enabled]) => enabled)).toBe(false);
    expect(await toList(key.id, '?enabled=true')).toEqual([]);
    expect([await getStatus(inspectorUrl, '{}'), await getStatus(endpointUrl, '{}')]).toEqual([404, 404]);
    await expect.poll(async () => outcome(await by(childSecret)('/me'))).toEqual([401, 'key_revoked']);
    const [instance, webhook, , endpoint, rule, child, grandchild] = ids as [string, ...string[]];
    for (const id of [webhook, grandchild])
      expect((await asOwner(`/webhooks/${id}`)).body).toMatchObject({
        enabled: false,
        disabled_reason: 'api_key_revoked',
      });
    expect((await asOwner(`/instances/${instance}`)).body).toMatchObject({
      state: 'disconnected',
      state_reason: 'api_key_revoked',
    });
    const events = await eventsAbout([...ids, key.id]);
    expect(events.slice(-7).map(({ type, data }) => [type, data.object.id])).toEqual([
      ['api_key.revoked', key.id],
      ['webhook.disabled', grandchild],
      ['api_key.revoked', child],
      ['rule.updated', rule],
      ['publishing_endpoint.updated', endpoint],
      ['webhook.disabled', webhook],
      ['instance.state_changed', instance],
    ]);
    expect(events.at(-2)!.data.object.disabled_reason).toBe('api_key_revoked');
    expect((await asOwner(`/webhooks/${foreign}`)).body.enabled).toBe(true);
    const [entry] = (await asOwner('/audit-log?action=api_keys.revoke')).body.data;
    expect(entry.details.disabled_objects).toEqual(ids.toReversed());
  });

  test('may be asked to disable later, by revoking again', async () => {
    const key = await createKey();
    await createWebhook(by(key.secret));
    await revoke(key.id);
    expect((await revoke(key.id)).body.created_objects.data[0].enabled).toBe(true);
    expect((await revoke(key.id, { disable_created: true })).body.created_objects.data[0].enabled).toBe(
      false,
    );
    expect(await getEnabled(key.id)).toEqual([['webhook', false]]);
    expect(await eventsAbout([key.id])).toHaveLength(2);
  });

  test('is refused as a whole where the caller lacks the scope of a kind', async () => {
    const key = await createKey();
    await createEach(by(key.secret));
    await asOwner(`/api-keys/${key.id}`, { scopes: ['api_keys:read'] }, 'PATCH');
    const narrow = await makeKey(home, { scopes: ['api_keys:read', 'api_keys:write', 'rules:write'] });
    const refused = await by(narrow)(`/api-keys/${key.id}/revoke`, { disable_created: true });
    expect(outcome(refused)).toEqual([403, 'insufficient_scope']);
    expect(refused.body.detail).toBe(
      'Disabling the created objects also requires webhooks:write, instances:write, publishing:write.',
    );
    expect((await asOwner(`/api-keys/${key.id}`)).body.state).toBe('active');
    expect((await getEnabled(key.id)).every(([, enabled]) => enabled)).toBe(true);
    // Without a request to disable, the revocation succeeds and shows only objects that the caller may read.
    const { status, body } = await by(narrow)(`/api-keys/${key.id}/revoke`, {});
    expect([status, body.created_objects.data.map(({ type }: { type: string }) => type)]).toEqual([
      200,
      ['api_key'],
    ]);
  });

  test('is refused as a whole where a key that it created has scopes that the caller lacks', async () => {
    const key = await createKey({ scopes: [...SCOPES, 'members:write'] });
    const { body: child } = await by(key.secret)('/api-keys', { name: 'Child', scopes: ['members:write'] });
    await asOwner(`/api-keys/${key.id}`, { scopes: ['api_keys:read'] }, 'PATCH');
    const developer = await join(app, home, 'developer');
    const revokeAs = (id: string, body: object) =>
      developer.call(`/api-keys/${id}/revoke`, { workspace: home.workspace, body });
    for (const [id, body] of [
      [child.id, {}],
      [key.id, { disable_created: true }],
    ] as const)
      expect(outcome(await revokeAs(id, body))).toEqual([403, 'escalation']);
    for (const { id } of [key, child]) expect((await asOwner(`/api-keys/${id}`)).body.state).toBe('active');
    expect(await revokeAs(key.id, {})).toHaveStatus(200);
    expect((await asOwner(`/api-keys/${child.id}`)).body.state).toBe('active');
  });

  test('leaves a job for calls that commit after it, and a job that runs twice does no harm', async () => {
    const key = await createKey();
    const late = await createWebhook(by(key.secret));
    await revoke(key.id);
    const payload: Payload = {
      workspaceId: toUuid('workspace', home.workspace)!,
      createdBy: key.id,
      reason: 'api_key_revoked',
      createdBefore: new Date(Date.now() + 5_000).toISOString(),
    };
    const perform = (more: Partial<Payload> = {}) =>
      performDisable(units, [createdKeys, createdWebhooks], { ...payload, ...more });
    await perform({ createdBefore: new Date(Date.now() - 60_000).toISOString() });
    expect((await asOwner(`/webhooks/${late}`)).body.enabled).toBe(true);
    await perform();
    await perform();
    expect((await asOwner(`/webhooks/${late}`)).body).toMatchObject({
      enabled: false,
      disabled_reason: 'api_key_revoked',
    });
    expect((await eventsAbout([late])).map(({ type }) => type)).toEqual([
      'webhook.created',
      'webhook.disabled',
    ]);
    const queued = async () =>
      (
        await app.database.pool.query(
          `select data from pgboss.job where name = 'created-objects.disable' and data->>'createdBy' = $1`,
          [key.id],
        )
      ).rows;
    expect(await queued()).toEqual([]);
    await revoke(key.id, { disable_created: true });
    expect(await queued()).toEqual([{ data: expect.objectContaining({ reason: 'api_key_revoked' }) }]);
  });

  test('leaves a job that also ends what a key that it created creates until the job ends that key', async () => {
    const key = await createKey();
    const child = await by(key.secret)('/api-keys', { name: 'Child', scopes: SCOPES, rate_limit: null });
    await revoke(key.id);
    const payload: Payload = {
      workspaceId: toUuid('workspace', home.workspace)!,
      createdBy: key.id,
      reason: 'api_key_revoked',
      createdBefore: new Date().toISOString(),
    };
    const perform = () => performDisable(units, [createdKeys, createdWebhooks], payload);
    const afterwards = await createWebhook(by(child.body.secret));
    jobs.length = 0;
    await perform();
    expect((await asOwner(`/api-keys/${child.body.id}`)).body.state).toBe('revoked');
    expect((await asOwner(`/webhooks/${afterwards}`)).body.enabled).toBe(false);
    // Calls by the child may have been under way: the same work follows once more.
    expect(jobs).toEqual([payload]);
    await perform();
    expect(jobs).toHaveLength(1);
  });
});

describe('a limited key', () => {
  const soon = () => new Date(Date.now() + 3_600_000).toISOString();

  test.each([
    ['an expiry', { expires_at: soon() }, true],
    ['addresses', { allowed_ips: ['127.0.0.1', '::1'] }, true],
    ['no limit', {}, false],
    ['an expiry, and says to keep', { expires_at: soon(), disable_created_on_end: false }, false],
    ['no limit, and says to disable', { disable_created_on_end: true }, true],
  ])('with %s: what it creates ends with it or not', async (_name, body, ends) => {
    const key = await createKey(body);
    expect(key).toMatchObject({ disable_created_on_end: ends });
    await createWebhook(by(key.secret));
    // Revoking requires no scope for objects that the key itself disables.
    await asOwner(`/api-keys/${key.id}`, { scopes: ['api_keys:write'] }, 'PATCH');
    const narrow = await makeKey(home, { scopes: ['api_keys:write'] });
    expect(await by(narrow)(`/api-keys/${key.id}/revoke`, {})).toHaveStatus(200);
    expect(await getEnabled(key.id)).toEqual([['webhook', !ends]]);
  });

  test('that became limited later ends what it creates, too', async () => {
    const key = await createKey();
    const patch = (body: object) => asOwner(`/api-keys/${key.id}`, body, 'PATCH');
    expect((await patch({ expires_at: soon() })).body.disable_created_on_end).toBe(true);
    expect((await patch({ disable_created_on_end: false })).body.disable_created_on_end).toBe(false);
    expect((await patch({ allowed_ips: ['127.0.0.1'] })).body.disable_created_on_end).toBe(false);
  });

  test('keeps what it created where whoever revokes it says so, but not by its own word', async () => {
    const key = await createKey({ expires_at: soon() });
    await createWebhook(by(key.secret));
    const call = by(key.secret);
    const flag = { disable_created_on_end: false };
    expect(outcome(await call(`/api-keys/${key.id}`, flag, 'PATCH'))).toEqual([403, 'escalation']);
    expect(
      outcome(
        await call('/api-keys', { name: 'Child', scopes: ['rules:read'], expires_at: soon(), ...flag }),
      ),
    ).toEqual([403, 'escalation']);
    expect(outcome(await call(`/api-keys/${key.id}/revoke`, { disable_created: false }))).toEqual([
      403,
      'escalation',
    ]);
    expect(await revoke(key.id, { disable_created: false })).toHaveStatus(200);
    expect(await getEnabled(key.id)).toEqual([['webhook', true]]);
  });

  test('that expires leaves a job, once, and again after a later expiry', async () => {
    const keys = [
      await createKey({ expires_at: soon() }),
      await createKey({ expires_at: soon(), disable_created_on_end: false }),
    ];
    const expire = () =>
      app.database.pool.query(
        `update api_keys set expires_at = now() - interval '1 second' where id = any($1)`,
        [keys.map(({ id }) => toUuid('api_key', id))],
      );
    const end = async () => {
      jobs.length = 0;
      await Promise.all([endExpiredKeys(units), endExpiredKeys(units)]);
      return jobs.filter(({ createdBy }) => keys.some(({ id }) => id === createdBy));
    };
    expect(await end()).toEqual([]);
    await expire();
    const [job, ...others] = await end();
    expect([job!.createdBy, job!.reason, others]).toEqual([keys[0]!.id, 'api_key_expired', []]);
    expect(await end()).toEqual([]);
    await asOwner(`/api-keys/${keys[0]!.id}`, { expires_at: soon() }, 'PATCH');
    await expire();
    expect(await end()).toHaveLength(1);
  });
});

describe('removing a member', () => {
  const remove = (id: string, query = '') => asOwner(`/members/${id}${query}`, undefined, 'DELETE');

  test('keeps what the person created, or disables it with what their keys created', async () => {
    for (const disables of [false, true]) {
      const ada = await join(app, home, 'developer');
      const call: Call = (path, body, method) => ada.call(path, { workspace: home.workspace, body, method });
      const { ids } = await createEach(call);
      expect(await remove(ada.userId, disables ? '?disable_created=true' : '')).toHaveStatus(204);
      // The list outlives the membership.
      const list = await toList(ada.userId);
      expect(list.map(({ id }) => id)).toEqual(ids.toReversed());
      expect(list.every(({ enabled }) => enabled === !disables)).toBe(true);
      expect(await toList(ada.userId, '?enabled=true')).toHaveLength(disables ? 0 : ids.length);
      const { body } = await asOwner(`/webhooks/${ids[1]}`);
      expect(body.disabled_reason).toBe(disables ? 'member_removed' : null);
    }
  });

  test('lets nobody who leaves disable what they may not change', async () => {
    const ada = await join(app, home, 'developer');
    const call: Call = (path, body, method) => ada.call(path, { workspace: home.workspace, body, method });
    const webhook = await createWebhook(call);
    await asOwner(`/members/${ada.userId}`, { role: 'viewer' }, 'PATCH');
    const leave = (query: string) => call(`/members/${ada.userId}${query}`, undefined, 'DELETE');
    expect(outcome(await leave('?disable_created=true'))).toEqual([403, 'insufficient_scope']);
    expect(await leave('')).toHaveStatus(204);
    expect((await asOwner(`/webhooks/${webhook}`)).body.enabled).toBe(true);
  });
});

test('an inspector is disabled and enabled by its own operation', async () => {
  const { body } = await asOwner('/inspectors', { name: 'First try' });
  expect(body.enabled).toBe(true);
  const patch = (enabled: boolean) => asOwner(`/inspectors/${body.id}`, { enabled }, 'PATCH');
  expect((await patch(false)).body.enabled).toBe(false);
  expect(await getStatus(body.url, '{}')).toBe(404);
  expect((await patch(true)).body.enabled).toBe(true);
  expect(await getStatus(body.url, '{}')).toBe(200);
});

test('what a call still created while its key was revoked is disabled by the job', async () => {
  const key = await createKey();
  await revoke(key.id, { disable_created: true });
  const late = await createWebhook(by(home.key));
  await app.database.pool.query('update webhooks set created_by = $1 where id = $2', [
    key.id,
    toUuid('webhook', late),
  ]);
  const worker = await startTestApp({ ROLE: 'worker' }, app);
  await expect
    .poll(async () => (await asOwner(`/webhooks/${late}`)).body.disabled_reason, { timeout: 120_000 })
    .toBe('api_key_revoked');
  await worker.stop();
});
