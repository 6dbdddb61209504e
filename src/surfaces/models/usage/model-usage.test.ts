import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openLedger } from '../../../../test/support/models/ledger-world.ts';
import { startTestApp, startWorkspace, type TestApp } from '../../../../test/support/test-app.ts';
import { newUuid } from '../../../platform/http/ids.ts';
import { publicId, toUuid } from '../../../core/vocabulary/ids.ts';
import type { CallResult } from '../contract/call-ledger.ts';
import { deleteOldUsage } from '../ledger/call-retention.ts';
import { BUCKET_COLUMNS } from '../contract/latency-buckets.ts';
import type { Ledger } from '../contract/call-ledger.ts';
import { TOKEN_DETAILS } from '../contract/token-details.ts';

let app: TestApp;
let ledger: Ledger;
beforeAll(async () => {
  app = await startTestApp();
  ledger = openLedger(app);
});
afterAll(() => app.stop());

const PROVIDER = newUuid();

async function startHome() {
  const home = await startWorkspace(app);
  const workspaceId = toUuid('workspace', home.workspace)!;
  return {
    ...home,
    workspaceId,
    get: (query: string) => app.call(`/usage/models?${query}`, { key: home.key }),
    async count({
      actor = home.keyId,
      route = null,
      ...result
    }: Partial<CallResult> & { actor?: string; route?: string | null }) {
      const call = await ledger.admit({
        actor: { workspaceId, id: actor },
        operation: 'chat/completions',
        model: 'x/y',
        route,
        worst: { tokens: 0, cost: 0 },
      });
      await ledger.complete(call, {
        outcome: 'succeeded',
        model: 'openai/gpt-5',
        providerId: PROVIDER,
        status: 200,
        errorCode: null,
        attempts: null,
        usage: { input: 10, cached: 4, output: 2 },
        isEstimated: false,
        cost: 1_500_000_000,
        firstByteMs: 200,
        durationMs: 900,
        ...result,
      });
    },
    /** Moves daily counts. */
    move: (model: string, days: number) =>
      app.database.pool.query(
        'update model_call_stats set day = day + $3::integer where workspace_id = $1 and model = $2',
        [workspaceId, model, days],
      ),
  };
}

const today = (): string => `${new Date().toISOString().slice(0, 10)}T00:00:00.000Z`;

describe('usage of models', () => {
  let home: Awaited<ReturnType<typeof startHome>>;
  beforeAll(async () => {
    home = await startHome();
    await home.count({});
    await home.count({
      outcome: 'failed',
      status: 502,
      usage: { input: 0, cached: 0, output: 0 },
      cost: 0,
      firstByteMs: null,
    });
    await home.count({
      actor: home.owner.userId,
      route: 'fast',
      usage: {
        input: 10,
        cached: 4,
        output: 2,
        cacheWrites: 5,
        cacheWrites1h: 3,
        reasoning: 1,
        audio: 6,
        image: 7,
      },
    });
    await home.count({ model: 'groq/llama', cost: null, firstByteMs: 8_000, route: 'fast' });
    await home.count({ model: 'fairlead/echo', providerId: null, cost: 0, outcome: 'canceled' });
    await home.move('groq/llama', -3);
  });

  const values = ({ body }: Awaited<ReturnType<typeof home.get>>) =>
    body.data.map(({ value, calls }: { value: string | null; calls: number }) => [value, calls]);

  test('by day has every day of the range', async () => {
    const { status, body } = await home.get('');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      object: 'model_usage',
      group_by: 'day',
      totals: {
        calls: 5,
        failures: 1,
        input_tokens: 40,
        cached_tokens: 16,
        output_tokens: 8,
        cost_usd: 3,
        unpriced_calls: 1,
        cache_write_tokens: 5,
        cache_write_1h_tokens: 3,
        reasoning_tokens: 1,
        audio_tokens: 6,
        image_tokens: 7,
      },
    });
    expect(body.data).toHaveLength(31);
    expect(body.data.at(-1)).toMatchObject({ start: today(), value: null, calls: 4 });
    expect(body.data.at(-2)).toMatchObject({
      calls: 0,
      cost_usd: 0,
      audio_tokens: 0,
      first_byte_p50_ms: null,
    });
    expect(body.data.at(-4)).toMatchObject({ calls: 1, unpriced_calls: 1 });
    const { totals } = body;
    expect(Math.abs(totals.first_byte_p50_ms - 200) / 200).toBeLessThan(0.23);
    expect(Math.abs(totals.first_byte_p95_ms - 8_000) / 8_000).toBeLessThan(0.23);
  });

  test('is grouped by each property, the most calls first', async () => {
    expect(values(await home.get('group_by=key'))).toEqual([
      [home.keyId, 4],
      [home.owner.userId, 1],
    ]);
    expect(values(await home.get('group_by=model'))).toEqual([
      ['openai/gpt-5', 3],
      ['fairlead/echo', 1],
      ['groq/llama', 1],
    ]);
    expect(values(await home.get('group_by=provider'))).toEqual([
      [publicId('model_provider', PROVIDER), 4],
      [null, 1],
    ]);
    expect(values(await home.get('group_by=route'))).toEqual([
      [null, 3],
      ['fast', 2],
    ]);
    const first = await home.get('group_by=model&limit=1');
    expect(values(first)).toEqual([['openai/gpt-5', 3]]);
    expect(first.body.totals.calls).toBe(5);
  });

  test('is filtered', async () => {
    const provider = publicId('model_provider', PROVIDER);
    expect(values(await home.get(`group_by=model&api_key_id=${home.keyId}&provider_id=${provider}`))).toEqual(
      [
        ['openai/gpt-5', 2],
        ['groq/llama', 1],
      ],
    );
    expect((await home.get(`user_id=${home.owner.userId}`)).body.totals.calls).toBe(1);
    expect((await home.get('route=fast&model=groq/llama')).body.totals.calls).toBe(1);
    const from = new Date(Date.now() - 86_400_000).toISOString();
    expect((await home.get(`from=${from}&group_by=model`)).body.totals.calls).toBe(4);
    expect((await home.get(`from=${from}&to=${today()}`)).body.totals).toMatchObject({
      calls: 0,
      first_byte_p95_ms: null,
    });
  });

  test.each([
    ['from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z', '?to'],
    ['from=2020-01-01T00:00:00Z', '?from'],
    ['group_by=color', '?group_by'],
    ['to=0001-01-01T00:00:00Z', '?to'],
    ['from=9999-12-31T00:00:00Z&to=9999-12-31T23:59:59Z', '?from'],
  ])('is not %s', async (query, pointer) => {
    const { status, body } = await home.get(query);
    expect([status, body.errors[0].pointer]).toEqual([400, pointer]);
  });

  test('is exported as CSV', async () => {
    const { status, headers, body } = await app.call('/usage/models/export?group_by=model', {
      key: home.key,
    });
    expect([status, headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
    expect(headers.get('content-disposition')).toBe('attachment; filename="model-usage-by-model.csv"');
    const [head, ...lines] = body.replace('\ufeff', '').trim().split('\r\n');
    expect(head).toBe(
      'model,calls,failures,input_tokens,cached_tokens,output_tokens,cost_usd,unpriced_calls,first_byte_p50_ms,first_byte_p95_ms,cache_write_tokens,cache_write_1h_tokens,reasoning_tokens,audio_tokens,image_tokens',
    );
    expect(lines).toHaveLength(3);
    expect(lines[0]).toMatch(/^openai\/gpt-5,3,1,20,8,4,3,0,\d+,\d+,5,3,1,6,7$/);
    expect(lines[2]).toMatch(/^groq\/llama,1,0,10,4,2,0,1,\d+,\d+,0,0,0,0,0$/);
  });

  test('is read from daily totals alone, and shown in GET /usage with what was counted before', async () => {
    await app.database.pool.query('delete from model_calls where workspace_id = $1', [home.workspaceId]);
    expect((await home.get('')).body.totals.calls).toBe(5);
    await app.database.pool.query(
      `insert into model_usage (workspace_id, day, actor, model, requests, prompt_tokens, completion_tokens)
       values ($1, current_date, $2, 'openai/gpt-5', 7, 70, 7)`,
      [home.workspaceId, home.keyId],
    );
    const { models } = (await app.call('/usage', { key: home.key })).body;
    expect(models[0]).toEqual({
      actor: home.keyId,
      model: 'openai/gpt-5',
      requests: 9,
      prompt_tokens: 80,
      completion_tokens: 9,
    });
  });

  test('is kept for 400 days', async () => {
    await home.move('groq/llama', -401);
    await deleteOldUsage(app.database.db, new Date());
    const { rows } = await app.database.pool.query(
      'select distinct model from model_call_stats where workspace_id = $1 order by model',
      [home.workspaceId],
    );
    expect(rows.map(({ model }) => model)).toEqual(['fairlead/echo', 'openai/gpt-5']);
  });

  test('needs the scope', async () => {
    const { key } = await startWorkspace(app, { scopes: ['links:read'] });
    expect(await app.call('/usage/models', { key })).toHaveStatus(403);
    expect(await app.call('/usage/models/export', { key })).toHaveStatus(403);
  });
});

test('daily totals are the sums of the calls', async () => {
  const home = await startHome();
  const amount = fc.integer({ min: 0, max: 1_000_000 });
  const someCall = fc.record({
    outcome: fc.constantFrom('succeeded', 'failed', 'canceled'),
    model: fc.constantFrom('a/1', 'a/2', 'b/1'),
    route: fc.constantFrom(null, 'fast'),
    usage: fc.record(
      {
        input: amount,
        cached: amount,
        output: amount,
        cacheWrites: amount,
        cacheWrites1h: amount,
        reasoning: amount,
        audio: amount,
        image: amount,
      },
      { requiredKeys: ['input', 'cached', 'output'] },
    ),
    cost: fc.option(amount),
    firstByteMs: fc.option(fc.integer({ min: 0, max: 200_000 })),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(someCall, { maxLength: 30 }), async (calls) => {
      await Promise.all(calls.map(home.count));
      const { rows } = await app.database.pool.query(
        `with counted as (
           select model, coalesce(route, '') as route, count(*) as calls, count(*) filter (where outcome = 'failed') as failures,
             sum(input_tokens) as input, sum(cached_tokens) as cached, sum(output_tokens) as output,
             coalesce(sum(cost), 0) as cost, count(*) filter (where cost is null) as unpriced, ${TOKEN_DETAILS.map((name) => `coalesce(sum(${name}), 0)`).join(', ')}, count(first_byte_ms) as timed
           from model_calls where workspace_id = $1 group by 1, 2
         ), totals as (
           select model, route, calls, failures, input_tokens, cached_tokens, output_tokens, cost, unpriced_calls,
             ${TOKEN_DETAILS.join(', ')}, ${BUCKET_COLUMNS.join(' + ')}
           from model_call_stats where workspace_id = $1
         )
         (table counted except table totals) union all (table totals except table counted)`,
        [home.workspaceId],
      );
      expect(rows).toEqual([]);
    }),
    { numRuns: 15 },
  );
});
