import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { startTestApp, startWorkspace, type TestApp } from '../../../../test/support/test-app.ts';
import { makeKey, outcome } from '../../../../test/support/workspaces.ts';

let app: TestApp;
let home: Awaited<ReturnType<typeof startWorkspace>>;
let instance: string;

beforeAll(async () => {
  app = await startTestApp({ EGRESS_ALLOW: '127.0.0.1' });
  home = await startWorkspace(app);
  instance = (await call('/instances', { name: 'Support', channel: 'sandbox' })).body.id;
  await call(`/instances/${instance}/connect`, {});
  await vi.waitFor(async () => {
    const { state } = (await call(`/instances/${instance}`)).body;
    if (state !== 'connected') throw new Error(`the instance is ${state}`);
  }, 20_000);
});
afterAll(() => app.stop());

const call = (path: string, body?: unknown, method?: string) =>
  app.call(path, { key: home.key, body, method });
const reply = (more: object = {}) => ({
  type: 'send_message',
  instance_id: instance,
  to: '{{ event.data.object.from }}',
  template: 'You said: {{ event.data.object.text.body }}',
  ...more,
});
const tryOut = async (body: object) => {
  const answer = await call('/rules/test', { events: ['message.received'], ...body });
  expect([answer.status, answer.body.errors]).toEqual([200, undefined]);
  return answer.body;
};
const toRows = async (table: string) =>
  Number((await app.database.pool.query(`select count(*) from ${table}`)).rows[0].count);
/** A received message, and its event. */
const received = async (text: string) => {
  await call('/messages', { instance_id: instance, to: 'echo', type: 'text', text: { body: text } });
  return vi.waitFor(async () => {
    const { data } = (await call('/events?type=message.received&limit=5')).body;
    const event = data.find((one: { data: { object: { text?: { body?: string } } } }) =>
      one.data.object.text?.body?.includes(text),
    );
    expect(event).toBeDefined();
    return event;
  }, 20_000);
};

describe('a rule that is not made yet', () => {
  test('says what each step would do, and does nothing', async () => {
    // Events count before and after the sequencer moves them to the log.
    const events = '(select event_id from outbox union select id from events) t';
    const tables = [
      'messages',
      'links',
      'link_routes',
      events,
      'model_open_calls',
      'model_call_stats',
      'audit_log',
    ];
    const before = await Promise.all(tables.map(toRows));
    const result = await tryOut({
      filter: 'event.data.object.direction == "inbound"',
      actions: [
        {
          type: 'create_link',
          name: 'short',
          url: 'https://example.com/{{ event.data.object.id }}',
          slug: 'try-me',
        },
        {
          type: 'ask_model',
          name: 'answer',
          model: 'fairlead/echo',
          system: 'Be brief',
          prompt: '{{ steps.short.url }}',
        },
        reply({ template: '{{ steps.answer.text }} {{ steps.short.short_url }}' }),
        { type: 'call_webhook', url: 'http://127.0.0.1:9/x', body: '{"said": "{{ steps.answer.text }}"}' },
        reply({
          name: 'never',
          when: 'steps.short.id == "x"',
          template: '{{ "soon" | is_between: "9:00", "17:00" }}',
        }),
      ],
    });
    expect(result).toMatchObject({
      rule_id: null,
      matches: true,
      reason: null,
      event_is_sample: true,
      error: null,
    });
    const [short, answer, message, hook, never] = result.steps;
    const { object } = result.event.data;
    expect(short).toMatchObject({
      status: 'would_run',
      input: { url: `https://example.com/${object.id}`, slug: 'try-me' },
      output: { short_url: `${app.config.baseUrl}/try-me` },
    });
    expect(answer.input).toMatchObject({ system: 'Be brief', prompt: `https://example.com/${object.id}` });
    expect(answer.output).toEqual({ text: 'SAMPLE: what fairlead/echo answers', reasoning: null });
    expect(message).toMatchObject({
      status: 'would_run',
      input: {
        to: object.from,
        type: 'text',
        text: { body: `SAMPLE: what fairlead/echo answers ${app.config.baseUrl}/try-me` },
      },
    });
    expect(hook.input).toEqual({
      url: 'http://127.0.0.1:9/x',
      body: { said: 'SAMPLE: what fairlead/echo answers' },
    });
    expect(never).toMatchObject({ status: 'skipped', input: null, output: null });
    expect(await Promise.all(tables.map(toRows))).toEqual(before);
  });

  test('tells what would fail, and shows the steps behind it all the same', async () => {
    await call('/links', { url: 'https://example.com', slug: 'taken' });
    const { steps } = await tryOut({
      actions: [
        { type: 'create_link', name: 'short', url: 'https://example.com', slug: 'taken' },
        reply({ template: '{{ "soon" | is_between: "9:00", "17:00" }}' }),
        reply({ template: '{{ steps.short.id }}', to: '{{ event.nothing }}' }),
        { type: 'call_webhook', url: 'http://127.0.0.1:9/x', body: '{"a": {{ event.nothing }} }' },
        reply(),
      ],
    });
    expect(
      steps.map(({ status, error }: { status: string; error: { code: string } | null }) => [
        status,
        error?.code ?? null,
      ]),
    ).toEqual([
      ['failed', 'slug_taken'],
      ['failed', 'template_failed'],
      ['failed', 'template_empty'],
      ['would_run', null],
      ['would_run', null],
    ]);
    expect(steps[1].error.detail).toContain('template:');
  });

  test('what its events and filter hold back is said, and what its filter lacks', async () => {
    const actions = [reply()];
    expect(await tryOut({ events: ['link.created'], event_type: 'message.received', actions })).toMatchObject(
      {
        matches: false,
        reason: 'event_type',
      },
    );
    expect(await tryOut({ filter: 'event.data.object.text.body == "no"', actions })).toMatchObject({
      matches: false,
      reason: 'filter',
      steps: [{ status: 'would_run' }],
    });
    expect(await tryOut({ filter: '(1..999999999) | join', actions })).toMatchObject({
      matches: false,
      error: { code: expect.stringMatching(/^template_/) },
    });
    expect(await tryOut({ events: ['link.*'], actions })).toMatchObject({ event: { type: 'link.created' } });
  });

  test('is checked as saving it would be', async () => {
    const wrong = async (body: object) =>
      outcome(await call('/rules/test', { events: ['*'], actions: [reply()], ...body }));
    expect(await wrong({ events: ['message.recieved'] })).toEqual([400, 'invalid_request']);
    expect(await wrong({ event_type: 'chat.typing' })).toEqual([400, 'invalid_request']);
    expect(await wrong({ actions: [reply({ template: '{% if' })] })).toEqual([400, 'invalid_request']);
    expect(await wrong({ actions: [{ type: 'call_webhook', url: 'http://10.0.0.1' }] })).toEqual([
      422,
      'address_not_allowed',
    ]);
    const key = await makeKey(home, { scopes: ['rules:write', 'messages:read'] });
    const body = { events: ['message.received'], actions: [reply()] };
    expect(outcome(await app.call('/rules/test', { key, body }))).toEqual([403, 'insufficient_scope']);
  });
});

describe('with an event of the caller', () => {
  const body = {
    filter: 'event.data.object.text.body contains "open"',
  };
  const saying = (text: string) => ({
    type: 'message.received',
    data: { object: { from: 'zoe', text: { body: text } } },
  });

  test('is completed from the sample, and used as it is', async () => {
    const actions = [reply({ template: '{{ event.data.object.text.body }} {{ event.created_at }}' })];
    const open = await tryOut({ ...body, actions, custom_event: saying('Are you open?') });
    expect(open).toMatchObject({ matches: true, event_is_sample: true, event: saying('Are you open?') });
    expect(open.steps).toMatchObject([
      { status: 'would_run', input: { to: 'zoe', text: { body: `Are you open? ${open.event.created_at}` } } },
    ]);
    const closed = await tryOut({ ...body, actions, custom_event: saying('Hello') });
    expect(closed).toMatchObject({ matches: false, reason: 'filter' });
  });

  test('must have a known type, and stand alone', async () => {
    const tried = async (more: object) => {
      const answer = await call('/rules/test', { events: ['message.received'], actions: [reply()], ...more });
      return [answer.status, answer.body.errors?.[0]?.pointer];
    };
    expect(await tried({ custom_event: { type: 'message.sung' } })).toEqual([400, '/custom_event/type']);
    expect(await tried({ custom_event: {} })).toEqual([400, '/custom_event/type']);
    expect(await tried({ custom_event: 'message.received' })).toEqual([400, '/custom_event']);
    expect(await tried({ custom_event: saying('x'), event_type: 'message.received' })).toEqual([
      400,
      '/custom_event',
    ]);
    expect(await tried({ custom_event: { type: 'link.created' } })).toEqual([200, undefined]);
  });
});

describe('with an event of the log', () => {
  test('what it would meet in the workspace counts', async () => {
    const event = await received('opening hours');
    const { body: rule } = await call('/rules', {
      name: 'Hours',
      events: ['message.received'],
      filter: 'event.data.object.text.body contains "hours"',
      actions: [reply({ reply_to: '{{ event.data.object.id }}' })],
    });
    const tried = async (body: object) => (await call(`/rules/${rule.id}/test`, body)).body;
    const { id, from } = event.data.object;
    expect(await tried({ event_id: event.id })).toMatchObject({
      rule_id: rule.id,
      matches: true,
      event_is_sample: false,
      event: { id: event.id },
      steps: [{ status: 'would_run', input: { to: from, reply_to: id } }],
    });
    const edited = { actions: [reply({ reply_to: `msg_${'0'.repeat(26)}` })], filter: 'event.type == "x"' };
    expect(await tried({ event_id: event.id, ...edited })).toMatchObject({
      matches: false,
      reason: 'filter',
      steps: [{ status: 'failed', error: { detail: expect.stringContaining('/reply_to') } }],
    });
    expect((await call(`/rules/${rule.id}`)).body).toMatchObject({
      actions: rule.actions,
      filter: rule.filter,
    });
    expect(await tried({ event_id: event.id, event_type: 'message.received' })).toMatchObject({
      status: 400,
    });
    expect(await tried({ event_id: `evt_${'0'.repeat(26)}` })).toMatchObject({ status: 404 });
  });

  test('takes the right to read it', async () => {
    const event = await received('a secret');
    const scopes = ['rules:write', 'messages:write', 'links:read'] as const;
    const body = { events: ['link.created'], actions: [reply()], event_id: event.id };
    const as = async (more: string[]) => {
      const key = await makeKey(home, { scopes: [...scopes, ...more] });
      return outcome(await app.call('/rules/test', { key, body }));
    };
    expect(await as([])).toEqual([403, 'insufficient_scope']);
    expect(await as(['events:read'])).toEqual([404, 'not_found']);
    expect(await as(['events:read', 'messages:read'])).toEqual([200, undefined]);
  });
});
