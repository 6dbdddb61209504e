import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newUuid } from '../../../../platform/http/ids.ts';
import { publicId, toUuid } from '../../../../core/vocabulary/ids.ts';
import { type MessagesWorld, startMessages } from '../../../../../test/support/messaging/messages.ts';
import { startWorkspace } from '../../../../../test/support/test-app.ts';
import { makeKey, outcome } from '../../../../../test/support/workspaces.ts';

let world: MessagesWorld;
let instance: string;

beforeAll(async () => {
  world = await startMessages({ ROLE: 'api' });
  instance = await world.instance();
});
afterAll(() => world.app.stop());

const destination = (more: object = {}) => ({
  instance_id: instance,
  to: '{{ payload.to | default: "alice" }}',
  template: 'New: {{ payload.title }}',
  ...more,
});
const create = async (more: object = {}) => {
  const { status, body } = await world.call('/publishing-endpoints', {
    name: 'Blog',
    auth: { type: 'bearer' },
    destinations: [destination()],
    ...more,
  });
  expect([status, body.errors]).toEqual([201, undefined]);
  return body.id as string;
};
const run = (id: string, body: object) => world.call(`/publishing-endpoints/${id}/test`, body);
const tested = async (id: string, body: object) => {
  const answer = await run(id, body);
  expect([answer.status, answer.body.errors?.length ? answer.body.code : undefined]).toEqual([
    200,
    undefined,
  ]);
  return answer.body;
};
const getErrors = ({ body }: { body: { errors?: { pointer: string; code: string }[] } }) =>
  (body.errors ?? []).map(({ pointer, code }) => [pointer, code]);
/** As written by a received request. */
async function laySample(endpoint: string, payload: unknown, more: object = {}): Promise<string> {
  const id = newUuid();
  const given = { headers: {}, query: {}, ...more };
  await world.rows(
    `insert into publishing_samples (workspace_id, endpoint_id, id, content_type, payload, headers, query, created_at)
     values ($1, $2, $3, 'application/json', $4, $5, $6, now())`,
    [
      toUuid('workspace', world.home.workspace),
      toUuid('publishing_endpoint', endpoint),
      id,
      JSON.stringify(payload),
      given.headers,
      given.query,
    ],
  );
  return publicId('publication', id);
}

describe('test', () => {
  test('renders what would be sent, and sends nothing', async () => {
    const id = await create({
      filter: 'payload.title',
      dedupe_key: '{{ payload.title | upcase }} {{ headers.x-id }}{{ query.page }}',
    });
    const before = await world.rows(
      'select (select count(*) from messages) + (select count(*) from publications) as n',
    );
    const given = { payload: { title: 'Hello' }, headers: { 'x-id': '7' }, query: { page: '2' } };
    expect(await tested(id, given)).toEqual({
      object: 'publishing_test',
      endpoint_id: id,
      outcome: 'published',
      sample_id: null,
      ...given,
      question: null,
      filter_passes: true,
      dedupe_key: 'HELLO 72',
      scheduled_at: null,
      errors: [],
      destinations: [
        {
          destination: 0,
          message: { instance_id: instance, to: 'alice', type: 'text', text: { body: 'New: Hello' } },
          errors: [],
        },
      ],
    });
    expect(
      await world.rows('select (select count(*) from messages) + (select count(*) from publications) as n'),
    ).toEqual(before);
    expect(await tested(id, { payload: {} })).toMatchObject({ outcome: 'filtered', filter_passes: false });
  });

  test('renders what is not saved in the place of what is, and saves nothing', async () => {
    const id = await create();
    const unsaved = {
      payload: { title: 'Hi', image: 'https://example.com/a.png', lat: 1.5 },
      destinations: [
        destination({ template: '{{ payload.title }}!' }),
        destination({ type: 'image', template: null, media: '{{ payload.image }}' }),
        destination({ type: 'location', template: '{"latitude": {{ payload.lat }}, "longitude": 2}' }),
        destination({ type: '{{ payload.type | default: "text" }}', template: '{{ payload.title }}?' }),
      ],
      filter: 'payload.title == "Hi"',
      schedule: { delay_seconds: 3_600 },
      shorten_links: true,
    };
    const answer = await tested(id, unsaved);
    expect(answer.outcome).toBe('scheduled');
    expect(Math.abs(Date.parse(answer.scheduled_at) - Date.now() - 3_600_000)).toBeLessThan(60_000);
    const [text, image, location, dynamic] = answer.destinations.map(
      ({ message }: { message: object }) => message,
    );
    expect(text).toMatchObject({ text: { body: 'Hi!' }, shorten_links: true });
    expect(image).toMatchObject({ image: { url: 'https://example.com/a.png' } });
    expect(location).toMatchObject({ location: { latitude: 1.5, longitude: 2 } });
    expect(dynamic).toMatchObject({ type: 'text', text: { body: 'Hi?' } });
    expect((await world.call(`/publishing-endpoints/${id}`)).body).toMatchObject({
      revision: 1,
      schedule: null,
    });
  });

  test('tells everything that is wrong, where it is, and renders the rest', async () => {
    const id = await create();
    const { body: created } = await world.call('/instances', { name: 'Idle', channel: 'sandbox' });
    const answer = await tested(id, {
      payload: { title: 'Hi' },
      destinations: [
        destination(),
        destination({ template: '{{ payload.title | nonsense }}' }),
        destination({ template: '{{' }),
        destination({ instance_id: 'ins_01h2xcejqtf2nbrexx3vqjhp41' }),
        destination({ instance_id: created.id }),
        destination({ to: null }),
        destination({ template: '{{ payload.nothing }}' }),
        destination({ type: 'location', template: '{"latitude": 100, "longitude": 2}' }),
        destination({ type: 'image', template: null, media: 'http://127.0.0.1/a.png' }),
        destination({ type: 'poll', template: 'no JSON' }),
      ],
      filter: 'payload.title | nonsense',
      dedupe_key: '{% if %}',
      schedule: { at: 'tomorrow' },
    });
    expect(answer).toMatchObject({
      outcome: 'rejected',
      filter_passes: null,
      dedupe_key: null,
      scheduled_at: null,
    });
    expect(getErrors({ body: answer })).toEqual([
      ['/filter', 'template_syntax'],
      ['/dedupe_key', 'template_syntax'],
      ['/schedule/at', 'invalid_time'],
    ]);
    const parts = answer.destinations as {
      message: object | null;
      errors: { pointer: string; code: string }[];
    }[];
    expect(
      parts.map(({ message, errors }) => [message !== null, ...getErrors({ body: { errors } }).flat()]),
    ).toEqual([
      [true],
      [false, '/destinations/1/template', 'template_syntax'],
      [false, '/destinations/2/template', 'template_syntax'],
      [true, '/destinations/3/instance_id', 'not_found'],
      [true, '/destinations/4/instance_id', 'instance_disconnected'],
      [true, '/destinations/5/to', 'required'],
      [false, '/destinations/6/template', 'template_empty'],
      [true, '/destinations/7/template', 'out_of_range'],
      [true, '/destinations/8/media', 'address_not_allowed'],
      [false, '/destinations/9/template', 'template_failed'],
    ]);
  });

  test('tells that quiet hours are none, and what is published of it in parts', async () => {
    const id = await create({ allow_partial: true });
    const quiet = { from: '22:00', to: '07:00', time_zone: 'Mars/Olympus' };
    const zone = await tested(id, { payload: {}, schedule: { quiet_hours: quiet } });
    expect([zone.outcome, getErrors({ body: zone })]).toEqual([
      'rejected',
      [['/schedule/quiet_hours/time_zone', 'invalid_time_zone']],
    ]);
    const broken = destination({ template: '{{' });
    const partial = await tested(id, { payload: {}, destinations: [destination(), broken] });
    expect(partial.outcome).toBe('partially_published');
    const none = await tested(id, { payload: {}, destinations: [broken] });
    expect(none.outcome).toBe('rejected');
    const whole = await tested(id, {
      payload: {},
      destinations: [destination(), broken],
      allow_partial: false,
    });
    expect(whole.outcome).toBe('rejected');
  });

  test('takes any JSON for a payload', async () => {
    const id = await create({ destinations: [destination({ to: 'alice', template: '({{ payload }})' })] });
    for (const [payload, body] of [
      ['text', '(text)'],
      [7, '(7)'],
      [null, '()'],
      [['a', 'b'], '(ab)'],
      [false, '(false)'],
    ] as const)
      expect((await tested(id, { payload })).destinations[0].message?.text).toEqual({ body });
  });

  test('renders the latest sample, or the one that is named', async () => {
    const id = await create();
    const empty = await run(id, {});
    expect([empty.status, ...getErrors(empty)]).toEqual([422, ['/payload', 'required']]);
    const first = await laySample(id, { title: 'First' }, { headers: { 'user-agent': 'a' } });
    const second = await laySample(id, { title: 'Second' });
    const other = await laySample(await create(), { title: 'Other' });
    expect(await tested(id, {})).toMatchObject({ sample_id: second, payload: { title: 'Second' } });
    expect(await tested(id, { sample_id: first })).toMatchObject({
      sample_id: first,
      headers: { 'user-agent': 'a' },
      destinations: [{ message: { text: { body: 'New: First' } } }],
    });
    const foreign = await run(id, { sample_id: other });
    expect([...outcome(foreign), ...getErrors(foreign)]).toEqual([
      404,
      'not_found',
      ['/sample_id', 'not_found'],
    ]);
    const both = await run(id, { sample_id: first, payload: {} });
    expect([both.status, ...getErrors(both)]).toEqual([400, ['/sample_id', 'ambiguous']]);
    const beside = await run(id, { sample_id: first, headers: {} });
    expect([beside.status, ...getErrors(beside)]).toEqual([400, ['/headers', 'unexpected']]);
  });
});

describe('samples', () => {
  test('are the last twenty, newest first', async () => {
    const id = await create();
    const made: string[] = [];
    for (let nth = 0; nth < 22; nth++) made.unshift(await laySample(id, { nth }));
    const { status, body } = await world.call(`/publishing-endpoints/${id}/samples`);
    expect([status, body.has_more, body.next_cursor]).toEqual([200, false, null]);
    expect(body.data.map((one: { id: string }) => one.id)).toEqual(made.slice(0, 20));
    expect(body.data[0]).toEqual({
      id: made[0],
      object: 'publishing_sample',
      endpoint_id: id,
      content_type: 'application/json',
      payload: { nth: 21 },
      headers: {},
      query: {},
      created_at: body.data[0].created_at,
    });
  });

  test('of an endpoint that is not there yet: all of it is given, and nothing is made', async () => {
    const endpoints = () => world.rows('select id from publishing_endpoints');
    const before = await endpoints();
    const draft = { payload: { title: 'Hello' }, destinations: [destination()] };
    const good = await world.call('/publishing-endpoints/test', {
      ...draft,
      dedupe_key: '{{ payload.title }}',
    });
    expect(good).toMatchObject({
      status: 200,
      body: {
        endpoint_id: null,
        outcome: 'published',
        dedupe_key: 'Hello',
        errors: [],
        destinations: [{ message: { to: 'alice', text: { body: 'New: Hello' } }, errors: [] }],
      },
    });
    // Half written: the rest is rendered all the same.
    const half = await world.call('/publishing-endpoints/test', {
      ...draft,
      destinations: [destination({ template: '{{ payload.title | upcas }}' }), destination()],
    });
    expect(half).toHaveStatus(200);
    expect(half.body.outcome).toBe('rejected');
    expect(half.body.destinations.map((one: { errors: object[] }) => one.errors.length)).toEqual([1, 0]);
    expect(await world.call('/publishing-endpoints/test', { destinations: [destination()] })).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/payload' }] },
    });
    const reader = await makeKey(world.home, { scopes: ['publishing:read'] });
    const rejected = await world.app.call('/publishing-endpoints/test', { key: reader, body: draft });
    expect(outcome(rejected)).toEqual([403, 'insufficient_scope']);
    expect(await endpoints()).toEqual(before);
  });

  test('and tests are for those who may, in their workspace', async () => {
    const id = await create();
    const other = await startWorkspace(world.app);
    const reader = await makeKey(world.home, { scopes: ['publishing:read'] });
    const stranger = await makeKey(world.home, { scopes: ['messages:write'] });
    const ask = async (key: string | undefined) => [
      outcome(await world.app.call(`/publishing-endpoints/${id}/samples`, { key })),
      outcome(await world.app.call(`/publishing-endpoints/${id}/test`, { key, body: { payload: {} } })),
    ];
    expect(await ask(reader)).toEqual([
      [200, undefined],
      [403, 'insufficient_scope'],
    ]);
    expect(await ask(stranger)).toEqual([
      [403, 'insufficient_scope'],
      [403, 'insufficient_scope'],
    ]);
    expect(await ask(other.key)).toEqual([
      [404, 'not_found'],
      [404, 'not_found'],
    ]);
    expect(await ask(undefined)).toEqual([
      [401, 'invalid_key'],
      [401, 'invalid_key'],
    ]);
  });
});
