/** Endpoints that ask a model about each request. */
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { PATIENCE } from '../../../../test/support/patience.ts';
import {
  type Endpoint,
  type PublishingWorld,
  shown,
  startPublishing,
} from '../../../../test/support/automation/publications.ts';
import {
  ANSWER,
  type ScriptedUpstream,
  startScriptedUpstream,
} from '../../../../test/support/models/scripted-upstream.ts';
import { toUuid } from '../../../core/vocabulary/ids.ts';

let world: PublishingWorld;
let upstream: ScriptedUpstream;

beforeAll(async () => {
  upstream = await startScriptedUpstream();
  world = await startPublishing({ EGRESS_ALLOW: '127.0.0.1' });
  const models = ['well', 'late', 'hangs', 'broken', 'page', 'unauthorized'].map((id) => ({ id }));
  const provider = { name: 'up', slug: 'up', kind: 'openai_compatible', base_url: upstream.url, models };
  const { status, body } = await world.call('/model-providers', provider);
  if (status !== 201) throw new Error(JSON.stringify(body));
});
beforeEach(() => void (upstream.calls.length = 0));
afterAll(async () => {
  await world.app.stop();
  await upstream[Symbol.asyncDispose]();
});

const QUESTION = { model: 'up/well', prompt: 'About {{ payload.title }}', system: 'For {{ endpoint.name }}' };
const asking = (question: object = {}, more: object = {}): Promise<Endpoint> =>
  world.endpoint({
    ask_model: { ...QUESTION, ...question },
    destinations: [world.destination({ template: '{{ payload.title }}: {{ answer }}' })],
    ...more,
  });
const getText = async ({ results }: { results: { message_id: string }[] }, nth = 0): Promise<string> =>
  (await world.call(`/messages/${results[nth]!.message_id}`)).body.text.body;
const called = () => vi.waitFor(() => expect(upstream.calls).not.toEqual([]), PATIENCE);

describe('a question', () => {
  test('is asked after the response to the sender, and templates have its answer', async () => {
    const {
      id,
      url,
      ask_model: asked,
    } = (await asking({ max_tokens: 50 })) as Endpoint & {
      ask_model: object;
    };
    expect(asked).toEqual({ ...QUESTION, max_tokens: 50 });
    const { status, body } = await world.post({ id, url });
    expect([status, body.status, body.results]).toEqual([202, 'received', []]);
    const published = await world.until(body.id, 'published');
    expect(await getText(published)).toBe(`Hello: ${ANSWER}`);
    expect(upstream.calls.map((call) => call.body)).toEqual([
      {
        model: 'well',
        max_tokens: 50,
        messages: [
          { role: 'system', content: 'For Blog' },
          { role: 'user', content: 'About Hello' },
        ],
      },
    ]);
    await world.isTold(body.id, 'received', 'published');
    // Usage is counted for the endpoint.
    const rows = await world.rows('select model from model_calls where actor = $1', [id]);
    expect(rows).toEqual([{ model: 'up/well' }]);
    await vi.waitFor(
      async () => expect((await world.call(`/publishing-endpoints/${id}`)).body.received).toBe(1),
      PATIENCE,
    );
  });

  test('is asked of what is published alone: not of what is filtered out, a duplicate or rejected', async () => {
    const made = await asking({}, { filter: 'payload.title', dedupe_key: '{{ payload.title }}' });
    const first = await world.posted(made, { title: 'once' });
    expect((await world.post(made, { title: 'once' })).body.status).toBe('duplicate');
    expect((await world.post(made, {})).body.status).toBe('canceled');
    const empty = await asking({ prompt: '{{ payload.nothing }}' });
    const rejected = await world.post(empty);
    expect([rejected.status, rejected.body.errors]).toEqual([
      422,
      [expect.objectContaining({ code: 'template_empty', pointer: '/ask_model/prompt' })],
    ]);
    await world.until(first, 'published');
    expect(upstream.calls).toHaveLength(1);
  });

  test('is asked at once for what is scheduled, which is published when it is due', async () => {
    const made = await asking({}, { schedule: { delay_seconds: 3_600 } });
    const id = await world.posted(made);
    await called();
    await vi.waitFor(async () => expect((await world.read(id)).messages).toHaveLength(1), PATIENCE);
    expect((await world.read(id)).status).toBe('scheduled');
    await world.makeDue(id);
    expect(await getText(await world.until(id, 'published'))).toBe(`Hello: ${ANSWER}`);
  });

  test('is asked anew by a replay, for the destinations that are replayed', async () => {
    const made = await asking(
      {},
      {
        allow_partial: true,
        destinations: [
          world.destination({ template: '{{ answer }}' }),
          world.destination({
            to: 'bob',
            template: '{{ answer | date: payload.wrong | append: payload.title }}',
          }),
          world.destination({ to: '{{ payload.to }}', template: 'To {{ answer }}' }),
        ],
      },
    );
    const id = await world.posted(made, { title: 'x' });
    const partly = await world.until(id, 'partially_published');
    expect(shown(partly, 'to', 'status').filter(([, status]) => status === 'failed')).toEqual([
      ['{{ payload.to }}', 'failed'],
    ]);
    const replay = await world.call(`/publications/${id}/replay`, {
      only: 'failed',
      template: 'original',
    });
    expect(replay).toHaveStatus(202);
    const failed = await world.until(replay.body.id, 'failed');
    expect(failed.results).toMatchObject([{ destination: 2, error: { code: 'template_empty' } }]);
    expect(upstream.calls).toHaveLength(2);
  });
});

describe('without an answer', () => {
  test('what may pass is asked again', async () => {
    const made = await asking({ model: 'up/broken' });
    const id = await world.posted(made);
    await called();
    expect((await world.read(id)).status).toBe('received');
    const retried = () =>
      world.rows(
        `select data from pgboss.job where name = 'publications.ask' and data->>'id' = $1 and data->>'tried' = '1'`,
        [toUuid('publication', id)],
      );
    await vi.waitFor(async () => expect(await retried()).toHaveLength(1), PATIENCE);
    upstream.onCall = ({ body }) => void (body.model = 'well');
    try {
      expect(await getText(await world.until(id, 'published'))).toBe(`Hello: ${ANSWER}`);
    } finally {
      upstream.onCall = null;
    }
    expect(upstream.calls.length).toBeGreaterThan(1);
  });

  test('what does not pass fails each destination, with its reason', async () => {
    const made = await asking({ model: 'up/unauthorized' });
    const id = await world.posted(made);
    const failed = await world.until(id, 'failed');
    expect(failed.results).toMatchObject([
      { to: 'alice', message_id: null, error: { code: 'model_provider_error' } },
    ]);
    await world.isTold(id, 'received', 'failed');
  });

  test('a budget that is used up fails what comes then', async () => {
    const made = await asking();
    const budget = (await world.call('/budgets', { name: 'Small', limit: { calls: 1 }, window: 'day' })).body;
    expect(budget.id).toBeDefined();
    try {
      await world.until(await world.posted(made, { title: 'first' }), 'published');
      const failed = await world.until(await world.posted(made, { title: 'second' }), 'failed');
      expect(failed.results).toMatchObject([{ error: { code: 'budget_exceeded' } }]);
      expect(upstream.calls).toHaveLength(1);
    } finally {
      await world.call(`/budgets/${budget.id}`, undefined, 'DELETE');
    }
  });

  test('what is canceled, or whose endpoint is deleted, is not published once the answer comes', async () => {
    const made = await asking({ model: 'up/late' });
    const [canceled, orphan] = [await world.posted(made), await world.posted(made)];
    expect((await world.call(`/publications/${canceled}/cancel`, {})).body.status).toBe('canceled');
    expect(await world.call(`/publishing-endpoints/${made.id}`, undefined, 'DELETE')).toHaveStatus(204);
    await world.until(orphan, 'canceled', { reason: 'endpoint_deleted' });
    await world.isTold(orphan, 'received', 'canceled');
    expect((await world.read(canceled)).results).toEqual([]);
  });
});

test('an error of one destination fails all, unless what can be is to be published', async () => {
  const destinations = [
    world.destination({ template: '{{ answer }}' }),
    world.destination({ to: '{{ payload.to }}', template: '{{ answer }}' }),
  ];
  const strict = await world.until(await world.posted(await asking({}, { destinations })), 'failed');
  expect(strict.results.map(({ error }: { error: { code: string } }) => error.code)).toEqual([
    'other_destination_failed',
    'template_empty',
  ]);
  const lenient = await asking({}, { destinations, allow_partial: true });
  const partly = await world.until(await world.posted(lenient), 'partially_published');
  expect(partly.results.map(({ error }: { error: object | null }) => error === null)).toEqual([true, false]);
});

describe('an endpoint', () => {
  const create = (ask_model: unknown, key = world.home.key) =>
    world.app.call('/publishing-endpoints', {
      key,
      body: {
        name: 'Blog',
        auth: { type: 'secret_url' },
        destinations: [world.destination({ template: '{{ answer }}' })],
        ask_model,
      },
    });

  test('asks only a model that is there, with templates that can be', async () => {
    const unknown = await create({ ...QUESTION, model: 'up/nothing' });
    expect([unknown.status, unknown.body.errors]).toEqual([
      422,
      [expect.objectContaining({ code: 'model_not_found', pointer: '/ask_model/model' })],
    ]);
    const faulty = await create({ ...QUESTION, prompt: '{{ payload.title' });
    expect([faulty.status, faulty.body.errors[0].pointer]).toEqual([400, '/ask_model/prompt']);
    const strange = await create({ ...QUESTION, temperature: 1 });
    expect([strange.status, strange.body.errors[0].code]).toEqual([400, 'unknown_field']);
  });

  test('asks only what its author may call', async () => {
    const keyWith = async (fields: object): Promise<string> => {
      const body = { name: 'author', rate_limit: null, ...fields };
      const made = await world.home.owner.call('/api-keys', { workspace: world.home.workspace, body });
      return made.body.secret;
    };
    const author = await keyWith({ scopes: ['publishing:write', 'messages:write'] });
    const refused = await create(QUESTION, author);
    expect([refused.status, refused.body.code]).toEqual([403, 'insufficient_scope']);
    expect(refused.body.detail).toContain('models:invoke');
    const scopes = ['publishing:write', 'messages:write', 'models:invoke'];
    const limited = await keyWith({ scopes, allowed_models: ['fairlead/echo'] });
    const other = await create(QUESTION, limited);
    expect([other.status, other.body.code]).toEqual([403, 'model_not_allowed']);
    expect(await create({ ...QUESTION, model: 'fairlead/echo' }, limited)).toHaveStatus(201);
    expect(await create(null, author)).toHaveStatus(201);
  });

  test('is changed to ask none, and one of an earlier version asks none', async () => {
    const made = await asking();
    const change = (ask_model: unknown) =>
      world.call(`/publishing-endpoints/${made.id}`, { ask_model }, 'PATCH');
    expect((await change(null)).body).toMatchObject({ ask_model: null, revision: 2 });
    expect((await change({ model: 'up/well', prompt: 'Short' })).body.ask_model).toEqual({
      model: 'up/well',
      prompt: 'Short',
      system: null,
      max_tokens: null,
    });
    await world.rows(`update publishing_endpoints set definition = definition - 'ask_model' where id = $1`, [
      toUuid('publishing_endpoint', made.id),
    ]);
    expect((await world.call(`/publishing-endpoints/${made.id}`)).body.ask_model).toBeNull();
    await world.until(await world.posted(made), 'published');
    expect(upstream.calls).toEqual([]);
  });

  test('is tested without calling the model', async () => {
    const made = await asking();
    const { body } = await world.call(`/publishing-endpoints/${made.id}/test`, {
      payload: { title: 'Hello' },
    });
    expect(body).toMatchObject({
      outcome: 'published',
      question: { model: 'up/well', system: 'For Blog', prompt: 'About Hello', max_tokens: null },
      destinations: [{ message: { text: { body: 'Hello: SAMPLE: what up/well answers' } }, errors: [] }],
    });
    const draft = { payload: {}, ask_model: { ...QUESTION, prompt: '{{ payload.no }}' } };
    const faulty = await world.call(`/publishing-endpoints/${made.id}/test`, draft);
    expect([faulty.body.outcome, faulty.body.errors[0].pointer]).toEqual(['rejected', '/ask_model/prompt']);
    expect(upstream.calls).toEqual([]);
  });
});
