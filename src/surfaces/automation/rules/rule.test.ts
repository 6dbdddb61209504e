import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSecretBox } from '../../../platform/crypto/secret-box.ts';
import { toUuid } from '../../../core/vocabulary/ids.ts';
import {
  startTestApp,
  startWorkspace,
  TEST_SECRET,
  type TestApp,
} from '../../../../test/support/test-app.ts';
import { getEvents, makeKey, outcome } from '../../../../test/support/workspaces.ts';
import { openRuleSecrets } from './actions/rule-secrets.ts';

let app: TestApp;
let home: Awaited<ReturnType<typeof startWorkspace>>;
let instance: string;

// Nothing runs, so that rows don't change during tests.
beforeAll(async () => {
  app = await startTestApp({ EGRESS_ALLOW: '127.0.0.1,127.0.0.2', ROLE: 'api' });
  home = await startWorkspace(app);
  const made = await call('/instances', { name: 'Support', channel: 'sandbox' });
  instance = made.body.id;
});
afterAll(() => app.stop());

const call = (path: string, body?: unknown, method?: string, headers?: Record<string, string>) =>
  app.call(path, { key: home.key, body, method, headers });
const say = (more: object = {}) => ({
  type: 'send_message',
  instance_id: instance,
  to: 'alice',
  template: 'Hello',
  ...more,
});
const hook = (more: object = {}) => ({ type: 'call_webhook', url: 'http://127.0.0.1:9/hook', ...more });
const ask = { type: 'ask_model', model: 'fairlead/echo', prompt: 'Say {{ event.type }}' };
const create = async (body: object = {}) => {
  const answer = await call('/rules', {
    name: 'Test',
    events: ['message.received'],
    actions: [say()],
    ...body,
  });
  expect([answer.status, answer.body.errors]).toEqual([201, undefined]);
  return answer.body;
};
const patch = (id: string, body: object, headers?: Record<string, string>) =>
  call(`/rules/${id}`, body, 'PATCH', headers);
const getErrors = ({ body }: { body: { errors?: { pointer: string; code: string }[] } }) =>
  (body.errors ?? []).map(({ pointer, code }) => [pointer, code]);
const getReports = async (id: string) =>
  (await getEvents(app, toUuid('workspace', home.workspace)!)).filter(({ data }) => data.object.id === id);
const getPatterns = async (id: string) => {
  const { rows } = await app.database.pool.query<{ pattern: string }>(
    'select pattern from rule_subscriptions where rule_id = $1 order by 1',
    [toUuid('rule', id)],
  );
  return rows.map(({ pattern }) => pattern);
};
const getSecrets = async (id: string) => {
  const { rows } = await app.database.pool.query('select * from rules where id = $1', [toUuid('rule', id)]);
  return openRuleSecrets(createSecretBox(TEST_SECRET), rows[0]);
};
const SECRET = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';

describe('create', () => {
  test('fills in what was left out, names actions, subscribes, and tells', async () => {
    const rule = await create({
      name: ' Answer ',
      events: ['message.received', 'message.received', 'link.*'],
      actions: [say(), say({ when: 'event.data.object.text' }), { ...ask, name: 'answer' }],
    });
    expect(rule).toMatchObject({
      object: 'rule',
      name: 'Answer',
      description: null,
      enabled: true,
      events: ['message.received', 'link.*'],
      filter: null,
      rate_limit: { limit: 60, burst: 30 },
      stats: { matched: 0, skipped: 0, stopped: 0, last_run_at: null, last_stopped_as: null },
    });
    expect(rule.actions.map(({ name, type }: { name: string; type: string }) => [name, type])).toEqual([
      ['send_message', 'send_message'],
      ['send_message_2', 'send_message'],
      ['answer', 'ask_model'],
    ]);
    expect(await getPatterns(rule.id)).toEqual(['link.*', 'message.received']);
    const [event] = await getReports(rule.id);
    expect(event).toMatchObject({ type: 'rule.created', data: { object: rule } });
    expect((await call(`/rules/${rule.id}`)).body).toEqual(rule);
  });

  test('each fault is told with its place', async () => {
    const answer = await call('/rules', {
      name: 'Wrong',
      events: ['message.recieved', 'chat.typing'],
      actions: [
        { ...ask, name: 'one' },
        { ...hook(), name: 'one', url: 'ftp://example.com', headers: { Host: 'x' }, secret: 'short' },
      ],
    });
    expect(answer).toHaveStatus(400);
    expect(getErrors(answer)).toEqual([
      ['/events/0', 'unknown_event_type'],
      ['/events/1', 'stream_only_event_type'],
      ['/actions/1/name', 'duplicate'],
      ['/actions/1/url', 'invalid_url'],
      ['/actions/1/headers/Host', 'header_not_allowed'],
      ['/actions/1/secret', 'invalid_secret'],
    ]);
    expect(answer.body.errors[0].detail).toBe('did you mean message.received?');
  });

  test('faults of shape are those of the type that the action has', async () => {
    const wrong = async (actions: unknown[]) => {
      const answer = await call('/rules', { name: 'Wrong', events: ['*'], actions });
      expect(answer).toHaveStatus(400);
      return getErrors(answer);
    };
    expect(await wrong([{ type: 'ask_model', model: 'fairlead/echo', promt: 'x' }])).toEqual([
      ['/actions/0/prompt', 'required'],
      ['/actions/0/promt', 'unknown_field'],
    ]);
    expect(await wrong([{ type: 'send_mesage' }])).toEqual([['/actions/0/type', 'invalid_value']]);
    expect(await wrong([{ name: 'x' }])).toEqual([['/actions/0/type', 'required']]);
    for (const no of [null, 'ask_model', 1, []])
      expect(await wrong([no])).toEqual([['/actions/0', 'invalid_type']]);
    expect(await wrong([])).toEqual([['/actions', 'too_short']]);
    expect(await wrong(Array.from({ length: 11 }, () => say()))).toEqual([['/actions', 'too_long']]);
  });

  test('templates must be readable, recipients one, contents those of the type', async () => {
    const answer = await call('/rules', {
      name: 'Wrong',
      events: ['*'],
      filter: 'event.type = "message.received"',
      actions: [
        say({ template: '{{ event.type | upcas }}', when: '{% if %}' }),
        say({ to: null }),
        say({ chat_id: `chat_${'0'.repeat(26)}` }),
        say({ message_type: 'image' }),
        say({ message_type: 'pictures' }),
        hook({ body: '{% for x in y %}' }),
      ],
    });
    expect(answer).toHaveStatus(400);
    expect(getErrors(answer)).toEqual(
      expect.arrayContaining([
        ['/filter', 'template_syntax'],
        ['/actions/0/template', 'template_syntax'],
        ['/actions/0/when', 'template_syntax'],
        ['/actions/1/to', 'required'],
        ['/actions/2/chat_id', 'ambiguous'],
        ['/actions/3/media', 'required'],
        ['/actions/4/message_type', 'invalid_value'],
        ['/actions/5/body', 'template_syntax'],
      ]),
    );
  });

  test('what is not there, may not be called or the channel cannot do is refused', async () => {
    const rejected = async (...actions: unknown[]) => {
      const answer = await call('/rules', { name: 'Wrong', events: ['*'], actions });
      return [answer.status, answer.body.code, getErrors(answer)];
    };
    expect(await rejected(hook(), { ...ask, model: 'fairlead/ecko' })).toEqual([
      422,
      'unprocessable',
      [['/actions/1/model', 'model_not_found']],
    ]);
    expect(await rejected(ask, hook({ url: 'http://10.0.0.1/' }))).toEqual([
      422,
      'address_not_allowed',
      [['/actions/1/url', 'address_not_allowed']],
    ]);
    const nobody = `ins_${'0'.repeat(26)}`;
    const [status, , faults] = await rejected(ask, say({ instance_id: nobody }));
    expect([status, faults]).toEqual([404, [['/actions/1/instance_id', 'not_found']]]);
  });

  test('takes the scopes of what it sees and does', async () => {
    const scopes = ['rules:read', 'rules:write', 'messages:read', 'messages:write'];
    const key = await makeKey(home, { scopes });
    const as = (body: object) => app.call('/rules', { key, body: { name: 'Scoped', ...body } });
    expect(outcome(await as({ events: ['message.received'], actions: [say()] }))).toEqual([201, undefined]);
    for (const [body, lacking] of [
      [{ events: ['link.created'], actions: [say()] }, 'links:read'],
      [{ events: ['message.*'], actions: [hook()] }, 'webhooks:write'],
      [{ events: ['message.*'], actions: [ask] }, 'models:invoke'],
      [
        { events: ['message.*'], actions: [{ type: 'create_link', url: 'https://a.example' }] },
        'links:create',
      ],
    ] as const) {
      const answer = await as(body);
      expect([answer.status, answer.body.code]).toEqual([403, 'insufficient_scope']);
      expect(answer.body.detail).toContain(lacking);
    }
  });
});

describe('change', () => {
  test('keeps what is left out, moves the version, subscribes anew, and tells what was', async () => {
    const rule = await create();
    const first = await call(`/rules/${rule.id}`);
    const stale = first.headers.get('etag')!;
    const { status, body } = await patch(
      rule.id,
      { events: ['message.*'], filter: 'true' },
      { 'if-match': stale },
    );
    expect([status, body.events, body.filter, body.actions]).toEqual([
      200,
      ['message.*'],
      'true',
      rule.actions,
    ]);
    expect(await getPatterns(rule.id)).toEqual(['message.*']);
    expect(outcome(await patch(rule.id, { name: 'x' }, { 'if-match': stale }))).toEqual([
      412,
      'precondition_failed',
    ]);
    expect((await getReports(rule.id)).at(-1)).toMatchObject({
      type: 'rule.updated',
      data: { previous_attributes: { events: ['message.received'], filter: null } },
    });
    expect((await patch(rule.id, { filter: ' ' })).body.filter).toBeNull();
    await patch(rule.id, { enabled: false });
    expect(await getPatterns(rule.id)).toEqual([]);
    expect((await call('/rules?enabled=false')).body.data.map(({ id }: { id: string }) => id)).toEqual([
      rule.id,
    ]);
    await patch(rule.id, { enabled: true, rate_limit: 10 });
    expect(await getPatterns(rule.id)).toEqual(['message.*']);
    expect((await call(`/rules/${rule.id}`)).body.rate_limit).toEqual({ limit: 10, burst: 2 });
  });

  test('takes the scopes of all that it then does; to stop it takes none of them', async () => {
    const rule = await create({ actions: [ask] });
    const scopes = ['rules:read', 'rules:write', 'messages:read', 'messages:write'];
    const key = await makeKey(home, { scopes });
    const as = (body: object) => app.call(`/rules/${rule.id}`, { key, body, method: 'PATCH' });
    expect(outcome(await as({ name: 'Mine' }))).toEqual([403, 'insufficient_scope']);
    expect(outcome(await as({ enabled: false, name: 'Mine' }))).toEqual([403, 'insufficient_scope']);
    expect(outcome(await as({ enabled: false }))).toEqual([200, undefined]);
    expect(outcome(await as({ enabled: true }))).toEqual([403, 'insufficient_scope']);
    expect(outcome(await as({ actions: [say()] }))).toEqual([200, undefined]);
  });
});

test('a key with allowed models makes rules that call no other', async () => {
  const key = await makeKey(home, { preset: 'full', allowed_models: ['other/model'] });
  const as = (path: string, body: object, method?: string) => app.call(path, { key, body, method });
  const refused = [403, 'model_not_allowed'];
  const body = { name: 'Models', events: ['message.received'], actions: [say(), ask] };
  const answer = await as('/rules', body);
  expect([outcome(answer), answer.body.errors[0].pointer]).toEqual([refused, '/actions/1/model']);
  expect(outcome(await as('/rules/test', { events: ['message.received'], actions: [ask] }))).toEqual(refused);
  const rule = await create({ actions: [ask] });
  const change = (changes: object) => as(`/rules/${rule.id}`, changes, 'PATCH');
  expect(outcome(await change({ name: 'Mine' }))).toEqual(refused);
  expect(outcome(await change({ enabled: false }))).toEqual([200, undefined]);
  expect(outcome(await change({ enabled: true }))).toEqual(refused);
  expect(outcome(await change({ actions: [say()] }))).toEqual([200, undefined]);
  expect(outcome(await change({ actions: [say(), ask] }))).toEqual(refused);
  const allowed = await makeKey(home, { preset: 'full', allowed_models: ['fairlead/*'] });
  expect(outcome(await app.call('/rules', { key: allowed, body }))).toEqual([201, undefined]);
});

describe('secrets of calls', () => {
  const headers = { Authorization: 'Bearer theirs', 'X-Other': 'value-two' };
  const callAction = (more: object = {}) => hook({ name: 'crm', ...more });
  const withSecrets = () => create({ actions: [callAction({ headers, secret: SECRET }), say()] });

  test('are nowhere in answers and events, and sealed in the row', async () => {
    const rule = await withSecrets();
    expect(rule.actions[0]).toMatchObject({
      headers: { Authorization: null, 'X-Other': null },
      signed: true,
    });
    expect(await getSecrets(rule.id)).toEqual({ crm: { headers, secret: SECRET } });
    const { rows } = await app.database.pool.query(
      'select data::text as text from outbox union all select to_jsonb(r)::text from rules r union all select to_jsonb(a)::text from audit_log a',
    );
    const all = [...rows.map(({ text }) => text), ...app.logged, JSON.stringify(await call('/rules'))].join();
    for (const secret of ['Bearer theirs', 'value-two', SECRET]) expect(all).not.toContain(secret);
  });

  test('stay where they are left out or null, and go where they are not named', async () => {
    const rule = await withSecrets();
    await patch(rule.id, { actions: [callAction({ body: '{"a":1}' })] });
    expect(await getSecrets(rule.id)).toEqual({ crm: { headers, secret: SECRET } });
    await patch(rule.id, { name: 'Another' });
    await patch(rule.id, { actions: [callAction({ headers: { authorization: null, 'X-New': 'n' } })] });
    expect(await getSecrets(rule.id)).toEqual({
      crm: { headers: { authorization: 'Bearer theirs', 'X-New': 'n' }, secret: SECRET },
    });
    const { body } = await patch(rule.id, { actions: [callAction({ headers: {}, secret: null })] });
    expect([body.actions[0].headers, body.actions[0].signed]).toEqual([{}, false]);
    expect(await getSecrets(rule.id)).toEqual({});
    const none = await patch(rule.id, { actions: [callAction({ headers: { 'X-New': null } })] });
    expect([none.status, getErrors(none)]).toEqual([422, [['/actions/0/headers/X-New', 'required']]]);
  });

  test('go to no other host: they must be given again', async () => {
    const rule = await withSecrets();
    const moved = { url: 'http://127.0.0.2:9/hook' };
    const stored = await patch(rule.id, { actions: [callAction(moved)] });
    expect([stored.status, getErrors(stored)]).toEqual([
      422,
      [
        ['/actions/0/headers', 'required'],
        ['/actions/0/secret', 'required'],
      ],
    ]);
    const named = await patch(rule.id, {
      actions: [callAction({ ...moved, headers: { Authorization: null, 'X-Other': 'v' }, secret: null })],
    });
    expect([named.status, getErrors(named)]).toEqual([
      422,
      [['/actions/0/headers/Authorization', 'required']],
    ]);
    expect(await getSecrets(rule.id)).toEqual({ crm: { headers, secret: SECRET } });
    // Another name, and the same name for another thing in between, bring nothing along.
    await patch(rule.id, { actions: [hook({ ...moved, name: 'other' })] });
    expect(await getSecrets(rule.id)).toEqual({});
    const again = { headers: { Authorization: 'Bearer new' }, secret: SECRET };
    await patch(rule.id, { actions: [hook({ ...moved, ...again, name: 'other' })] });
    expect(await getSecrets(rule.id)).toEqual({ other: again });
  });

  test("are an action's own, also of one that is called as what every object has", async () => {
    const rule = await create({ actions: [hook({ name: 'constructor' })] });
    expect(await patch(rule.id, { actions: [hook({ name: 'constructor', body: '1' })] })).toHaveStatus(200);
    expect(await getSecrets(rule.id)).toEqual({});
  });
});

describe('list and delete', () => {
  test('pages, by type of event through whatever pattern', async () => {
    const first = await create({ events: ['domain.*'], actions: [say()] });
    const second = await create({ events: ['domain.verified'], actions: [say()] });
    const ids = async (query: string) =>
      (await call(`/rules?${query}`)).body.data.map(({ id }: { id: string }) => id);
    expect(await ids('event_type=domain.verified')).toEqual([second.id, first.id]);
    expect(await ids('event_type=domain.failed')).toEqual([first.id]);
    expect(await ids(`event_type=domain.*&created_after=${second.created_at}`)).toEqual([]);
    const page = await call('/rules?event_type=domain.verified&limit=1');
    expect(page.body.has_more).toBe(true);
    expect(await ids(`event_type=domain.verified&limit=1&cursor=${page.body.next_cursor}`)).toEqual([
      first.id,
    ]);
    expect(getErrors(await call('/rules?event_type=domain.verifyed'))).toEqual([
      ['?event_type', 'unknown_event_type'],
    ]);
  });

  test('of a rule that goes its subscriptions go too', async () => {
    const rule = await create();
    expect(outcome(await call(`/rules/${rule.id}`, undefined, 'DELETE'))).toEqual([204, undefined]);
    expect(await getPatterns(rule.id)).toEqual([]);
    expect(outcome(await call(`/rules/${rule.id}`))).toEqual([404, 'not_found']);
    expect((await getReports(rule.id)).at(-1)).toMatchObject({
      type: 'rule.deleted',
      data: { object: { id: rule.id } },
    });
  });

  test('a workspace has no more than it may', async () => {
    const limited = await startTestApp({ WORKSPACE_LIMITS: 'rules=1', ROLE: 'api' }, app);
    const own = await startWorkspace(limited);
    const body = { name: 'One', events: ['*'], actions: [ask] };
    expect(outcome(await limited.call('/rules', { key: own.key, body }))).toEqual([201, undefined]);
    expect(outcome(await limited.call('/rules', { key: own.key, body }))).toEqual([403, 'quota_exceeded']);
    await limited.stop();
  });
});
