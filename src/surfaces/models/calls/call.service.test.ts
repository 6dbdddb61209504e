import { afterEach, describe, expect, test, vi } from 'vitest';
import {
  breakOff,
  CALL,
  type CallWorld,
  createCallWorld,
  createOutput,
  data,
  delta,
  DONE,
  fails,
  hang,
  json,
  ROLE,
  type Script,
  STOP,
  stream,
  STREAMED,
  toUsage,
  toUsageFrame,
  assertSettled,
  getProblem,
} from '../../../../test/support/models/call-world.ts';
import { PATIENCE } from '../../../../test/support/patience.ts';
import { Problem } from '../../../platform/http/problem.ts';
import { type Upstream, UpstreamError } from '../contract/upstream.ts';

let world: CallWorld;

afterEach(() => assertSettled(world));

const COMPLETION = { choices: [{ message: { content: 'Hello' } }], usage: toUsage(3, 2) };
const FINE = stream(ROLE, delta('Hel'), delta('lo'), STOP, toUsageFrame(3, 2), DONE);
const FINE_TEXT = [ROLE, delta('Hel'), delta('lo'), STOP, DONE].join('');

describe('a call', () => {
  test('is admitted with its worst case, sent with the upstream name, and recorded', async () => {
    const length = String(JSON.stringify(COMPLETION).length);
    world = createCallWorld([json(COMPLETION, 200, { 'content-length': length, 'set-cookie': 'a=1' })]);
    const output = await world.run({
      ...CALL,
      body: { ...CALL.body, max_tokens: 7, temperature: 0.5, unknown: [1] },
      query: '?api-version=1',
      traceparent: '00-trace',
    });
    expect(output).toHaveStatus(200);
    expect(output.text()).toBe(JSON.stringify(COMPLETION));
    expect(output.ended).toBe('end');
    expect(output.headers).toEqual({
      'content-type': 'application/json',
      'content-length': length,
      'fairlead-provider': 'a',
      'fairlead-model': 'a/m',
    });
    const [request] = world.upstreams[0]!.requests;
    expect(request).toMatchObject({ query: '?api-version=1', traceparent: '00-trace', stream: false });
    expect(request!.json).toEqual({
      model: 'upstream-a',
      messages: CALL.body['messages'],
      max_tokens: 7,
      temperature: 0.5,
      unknown: [1],
    });
    expect(request).toMatchObject({ timeoutMs: 5_000, partTimeoutMs: 5_000 });
    const [{ worst }] = world.admitted as [(typeof world.admitted)[0]];
    expect(worst.tokens).toBe(worst.cost);
    expect(world.completed).toEqual([
      expect.objectContaining({
        outcome: 'succeeded',
        model: 'a/m',
        providerId: 'provider-a',
        status: 200,
        errorCode: null,
        attempts: ['a/m:ok'],
        usage: { input: 3, cached: 0, output: 2 },
        isEstimated: false,
        cost: 5,
        firstByteMs: expect.any(Number),
      }),
    ]);
    expect(world.reports).toEqual([{ model: 'a/m', failure: null }]);
  });

  test('streams without the usage that was added, and asks for it', async () => {
    world = createCallWorld([FINE], { route: null });
    const output = await world.run(STREAMED);
    expect(output.text()).toBe(FINE_TEXT);
    expect(output.headers).toMatchObject({ 'content-type': 'text/event-stream' });
    expect(world.upstreams[0]!.requests[0]!.json).toMatchObject({ stream_options: { include_usage: true } });
    expect(world.completed).toMatchObject([
      { outcome: 'succeeded', usage: { input: 3, output: 2 }, attempts: null },
    ]);
  });

  test('that asks for usage gets every byte', async () => {
    world = createCallWorld([FINE]);
    const body = { ...STREAMED.body, stream_options: { include_usage: true, other: 1 } };
    const output = await world.run({ ...STREAMED, body });
    expect(output.text()).toBe(FINE.chunks!.join(''));
    expect(world.upstreams[0]!.requests[0]!.json).toMatchObject({
      stream_options: { include_usage: true, other: 1 },
    });
  });

  test('is sent again without the added field to a model that rejects it, which is then remembered', async () => {
    const asked: string[] = [];
    const upstream: Upstream = {
      async send({ body }) {
        const sent = JSON.parse(body.toString()) as { model: string; stream_options?: object };
        asked.push(`${sent.model}:${'stream_options' in sent}`);
        const text = 'stream_options' in sent ? 'stream_options is not supported' : FINE.chunks!.join('');
        async function* chunks() {
          yield Buffer.from(text);
        }
        const status = 'stream_options' in sent ? 400 : 200;
        return { status, headers: { 'content-type': 'text/event-stream' }, body: chunks() };
      },
    };
    for (const upstreamModel of ['one', 'one', 'two']) {
      world = createCallWorld([FINE], {
        route: null,
        target: { providerId: 'picky', upstreamModel, upstream },
      });
      // The caller gets the frame that the provider sends unasked.
      expect((await world.run(STREAMED)).text()).toBe(FINE.chunks!.join(''));
      assertSettled(world);
    }
    expect(asked).toEqual(['one:true', 'one:false', 'one:false', 'two:true', 'two:false']);
  });

  test.each([
    ['the provider rejects the call without the field too', STREAMED.body],
    ['the caller sent the field', { ...STREAMED.body, stream_options: { foo: 1 } as object }],
    ['the caller sent the field empty', { ...STREAMED.body, stream_options: {} }],
  ])('keeps asking for usage after a rejection, where %s', async (_, body) => {
    const message = "Unknown parameter: 'stream_options.foo'.";
    const script = { ...json({ error: { message } }, 400) };
    world = createCallWorld([script], { route: null, target: { providerId: 'innocent' } });
    expect(await world.run({ ...STREAMED, body })).toHaveStatus(400);
    Object.assign(script, { ...FINE, status: 200 });
    await world.run(STREAMED);
    const { requests } = world.upstreams[0]!;
    expect(requests.at(-1)!.json).toMatchObject({ stream_options: { include_usage: true } });
    expect(requests).toHaveLength(body === STREAMED.body ? 3 : 2);
    expect(world.completed[1]).toMatchObject({ usage: { input: 3, output: 2 }, isEstimated: false });
  });

  test.each(['text/plain; charset=utf-8', 'application/json'])(
    'recognizes a stream that is labeled %s, and sends each chunk without delay',
    async (label) => {
      const first = 'da';
      const rest = delta('A').slice(2);
      const seen: string[] = [];
      const chunks = [first, rest, async () => void seen.push('next'), toUsageFrame(10, 5), DONE];
      world = createCallWorld([{ headers: { 'content-type': label, 'content-length': '9' }, chunks }]);
      const output = createOutput((chunk) => void seen.push(Buffer.from(chunk).toString()));
      await world.run(STREAMED, output);
      expect(output.text()).toBe(delta('A') + DONE);
      expect(seen.slice(0, 2)).toEqual([delta('A'), 'next']);
      expect(output.headers).toMatchObject({ 'content-type': 'text/event-stream' });
      expect(output.headers).not.toHaveProperty('content-length');
      expect(world.completed).toMatchObject([{ usage: { input: 10, output: 5 }, isEstimated: false }]);
    },
  );

  test('has its usage estimated, where the provider reports zeros for what it sent', async () => {
    world = createCallWorld([stream(delta('x'.repeat(400)), STOP, toUsageFrame(0, 0), DONE)]);
    await world.run(STREAMED);
    expect(world.completed).toMatchObject([{ isEstimated: true, usage: { output: 100 } }]);
  });

  test.each([
    ['replaces the computed one', { reporting: { hasCost: true, hasReasoningInTotal: false } }, 250_000_000],
    ['is ignored, where a price is known', {}, 5],
    ['counts, where no price is known', { price: null }, 250_000_000],
  ])('whose provider reports its cost: it %s', async (_, target, cost) => {
    world = createCallWorld([json({ ...COMPLETION, usage: { ...toUsage(3, 2), cost: 0.25 } })], { target });
    await world.run();
    expect(world.completed).toMatchObject([{ cost }]);
  });

  test('with tokens that only the total has, counts them as reasoning of a provider that reports it so', async () => {
    const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 40 };
    for (const hasReasoningInTotal of [true, false]) {
      const target = { reporting: { hasCost: false, hasReasoningInTotal } };
      world = createCallWorld([json({ ...COMPLETION, usage })], { target });
      await world.run();
      expect(world.completed[0]!.usage).toEqual({
        input: 10,
        cached: 0,
        output: hasReasoningInTotal ? 30 : 5,
        ...(hasReasoningInTotal ? { reasoning: 25 } : {}),
      });
    }
  });

  test('without a price reserves by the price for reservations', async () => {
    const reservePrice = { input: 0, cachedInput: 0, output: 7 };
    world = createCallWorld([json(COMPLETION)], { target: { price: null, reservePrice } });
    await world.run({ ...CALL, body: { ...CALL.body, max_tokens: 10 } });
    expect(world.admitted[0]!.worst.cost).toBe(70);
  });

  test.each([
    ['before the response', [hang], false],
    ['in a stream', [delta('x'.repeat(400)), hang], true],
    [
      'in a stream that has reported its input',
      [data({ choices: [{ delta: { content: 'x'.repeat(400) } }], usage: toUsage(1_000, 0) }), hang],
      true,
    ],
  ] as const)('whose caller leaves %s counts what was used until then', async (_, chunks, hasOutput) => {
    for (const request of [CALL, STREAMED]) {
      const output = createOutput();
      const isStream = request === STREAMED;
      world = createCallWorld([
        { headers: { 'content-type': isStream ? 'text/event-stream' : 'application/json' }, chunks },
      ]);
      const run = world.run(request, output).catch(() => undefined);
      await vi.waitFor(() => expect(world.upstreams[0]!.read).toBe(hasOutput ? 1 : 0), PATIENCE);
      await new Promise((resolve) => setImmediate(resolve));
      output.controller.abort();
      await run;
      const [{ usage, outcome, cost, isEstimated }] = world.completed as [(typeof world.completed)[0]];
      expect([outcome, isEstimated]).toEqual(['canceled', true]);
      expect(usage.input).toBeGreaterThan(0);
      expect(usage.output).toBeGreaterThanOrEqual(hasOutput ? 100 : 0);
      expect(cost).toBe(usage.input + usage.output);
      assertSettled(world);
    }
  });

  test('whose provider reports no usage has it estimated', async () => {
    world = createCallWorld([stream(ROLE, delta('x'.repeat(400)), STOP, DONE)]);
    await world.run(STREAMED);
    expect(world.completed).toMatchObject([{ isEstimated: true, usage: { output: 100 } }]);
    expect(world.completed[0]!.usage.input).toBeGreaterThan(0);
  });

  test('waits two minutes at most for the next part, however long for the first', async () => {
    world = createCallWorld([FINE], { target: { timeoutMs: 600_000 } });
    await world.run(STREAMED);
    expect(world.upstreams[0]!.requests).toMatchObject([{ timeoutMs: 600_000, partTimeoutMs: 120_000 }]);
  });

  test('without a known price has no cost', async () => {
    world = createCallWorld([FINE], { target: { price: null } });
    await world.run(STREAMED);
    expect(world.admitted[0]!.worst.cost).toBeNull();
    expect(world.completed[0]!.cost).toBeNull();
  });

  test('to an operation that the provider lacks is not admitted', async () => {
    world = createCallWorld([FINE], { target: { supports: (operation) => operation !== 'embeddings' } });
    const body = { model: 'route/r', input: 'a' };
    const problem = await getProblem(world.run({ ...CALL, operation: 'embeddings', body }));
    expect(problem).toMatchObject({ code: 'unsupported_by_provider', status: 422 });
    expect(world.admitted).toEqual([]);
  });

  test('that is not admitted sends nothing', async () => {
    const problem = new Problem('budget_exceeded', 'No budget is left.');
    world = createCallWorld([FINE], { ledger: { admit: () => Promise.reject(problem) } });
    expect(await getProblem(world.run())).toBe(problem);
    expect(world.upstreams[0]!.requests).toEqual([]);
  });

  test('that the ledger cannot record is answered', async () => {
    world = createCallWorld([FINE], { ledger: { complete: () => Promise.reject(new Error('no database')) } });
    const output = await world.run(STREAMED);
    expect(output.text()).toBe(FINE_TEXT);
    expect(world.errors).toHaveLength(1);
    world = createCallWorld([]);
  });

  test('fails as a whole if something throws, and is completed', async () => {
    world = createCallWorld([FINE], { target: { enter: () => Promise.reject(new TypeError('a defect')) } });
    await expect(world.run()).rejects.toThrow('a defect');
    expect(world.completed).toMatchObject([
      { outcome: 'failed', errorCode: 'internal_error', status: 500, usage: { input: 0, output: 0 } },
    ]);
  });
});

describe('attempts of a route', () => {
  const limited = json({ error: { message: 'slow down', code: 'rate_limit' } }, 429, { 'retry-after': '7' });
  const failing = json({ error: { message: 'oops' } }, 500);
  const empty = stream(ROLE, DONE);
  const errs = stream(ROLE, data({ error: { message: 'overloaded' } }));

  test.each<[string, Script, string, unknown]>([
    ['refuses', fails('refused'), 'refused', 'refused'],
    ['times out', fails('timeout'), 'timeout', 'timeout'],
    ['breaks off', fails('broken'), 'broken', 'broken'],
    ['breaks off before content', stream(ROLE, breakOff), 'broken', 'broken'],
    ['may not be called', fails('address_not_allowed'), 'address_not_allowed', 'address_not_allowed'],
    ['is rate limited', limited, 'http_429', 429],
    ['fails', failing, 'http_500', 500],
    ['sends nothing', stream(), 'empty_stream', 'broken'],
    ['sends no content', empty, 'empty_stream', 'broken'],
    ['sends an error first', errs, 'stream_error', 'broken'],
  ])('go on if the first provider %s', async (_, script, code, failure) => {
    world = createCallWorld([script, FINE]);
    const output = await world.run(STREAMED);
    expect(output.text()).toBe(FINE_TEXT);
    expect(output.headers).toMatchObject({ 'fairlead-provider': 'b', 'fairlead-model': 'b/m' });
    expect(world.completed).toMatchObject([
      {
        outcome: 'succeeded',
        model: 'b/m',
        attempts: [`a/m:${code}`, 'b/m:ok'],
        usage: { input: 3, output: 2 },
        isEstimated: false,
        cost: 50,
      },
    ]);
    expect(world.reports).toEqual([
      { model: 'a/m', failure },
      { model: 'b/m', failure: null },
    ]);
  });

  test('go on if the first provider has no free slot, which is no failure of it', async () => {
    const busy = new Problem('rate_limited', 'Too many calls.');
    let asked = 0;
    world = createCallWorld([FINE, FINE], {
      target: {
        async enter() {
          if (++asked === 1) throw busy;
          return () => {};
        },
      },
    });
    await world.run(STREAMED);
    expect(world.completed[0]!.attempts).toEqual(['a/m:busy', 'b/m:ok']);
    expect(world.reports).toEqual([{ model: 'b/m', failure: null }]);
  });

  test('go on if a stream has no content in time', async () => {
    world = createCallWorld([stream(ROLE, hang), FINE], { target: { timeoutMs: 20 } });
    const output = await world.run(STREAMED);
    expect(output.text()).toBe(FINE_TEXT);
    expect(world.completed[0]!.attempts).toEqual(['a/m:timeout', 'b/m:ok']);
    expect(world.upstreams[0]!.aborted).toBe(true);
  });

  test.each([400, 401, 403, 404, 422])('end with a response of %i', async (status) => {
    world = createCallWorld([json({ error: { message: 'no' } }, status), FINE]);
    const output = await world.run(STREAMED);
    expect([output.status, output.text()]).toEqual([status, '{"error":{"message":"no"}}']);
    expect(world.upstreams[1]!.requests).toEqual([]);
    expect(world.completed).toMatchObject([{ outcome: 'failed', status, errorCode: `http_${status}` }]);
  });

  test.each<[string, Script, string]>([
    ['an error', stream(ROLE, delta('Hel'), data({ error: { message: 'overloaded' } })), 'stream_error'],
    ['a break', stream(ROLE, delta('Hel'), breakOff), 'broken'],
  ])('end with the first byte: %s after it is the end', async (_, script, code) => {
    world = createCallWorld([script, FINE]);
    const output = await world.run(STREAMED);
    expect(output.text()).toContain('Hel');
    expect(output.text()).toContain('"error"');
    expect(output.headers).toMatchObject({ 'fairlead-provider': 'a' });
    expect(world.upstreams[1]!.requests).toEqual([]);
    expect(world.completed).toMatchObject([
      { outcome: 'failed', status: 200, errorCode: code, attempts: [`a/m:${code}`], isEstimated: true },
    ]);
    expect(world.reports).toEqual([{ model: 'a/m', failure: 'broken' }]);
  });

  test('give the last response, with Retry-After, if all fail', async () => {
    world = createCallWorld([failing, limited]);
    const output = await world.run(STREAMED);
    expect(output).toHaveStatus(429);
    expect(output.headers).toMatchObject({ 'retry-after': '7', 'fairlead-provider': 'b' });
    expect(JSON.parse(output.text())).toMatchObject({ error: { message: 'slow down' } });
    expect(world.completed).toMatchObject([
      { outcome: 'failed', status: 429, attempts: ['a/m:http_500', 'b/m:http_429'], cost: 0 },
    ]);
  });

  test('give a problem if the last one has no response', async () => {
    world = createCallWorld([limited, fails('timeout')]);
    const problem = await getProblem(world.run(STREAMED));
    expect(problem).toMatchObject({ code: 'model_provider_timeout', status: 504 });
    expect(problem.headers).toMatchObject({ 'fairlead-provider': 'b', 'fairlead-model': 'b/m' });
    expect(world.completed).toMatchObject([{ outcome: 'failed', status: 504, errorCode: 'timeout' }]);
  });

  test('add up what each reported, at its own price', async () => {
    const costly = stream(ROLE, toUsageFrame(10, 1), data({ error: { message: 'late' } }));
    world = createCallWorld([costly, FINE]);
    await world.run(STREAMED);
    expect(world.completed).toMatchObject([{ usage: { input: 13, output: 3 }, cost: 11 * 1 + 5 * 10 }]);
  });
});

describe('a caller who leaves', () => {
  test.each<[string, Script, typeof CALL]>([
    ['before the response', { chunks: [hang] }, CALL],
    ['a document', { ...json({}), chunks: ['{', '"a', hang] }, CALL],
    ['a stream', stream(ROLE, delta('Hello'), hang), STREAMED],
  ])('%s: ends the upstream, and what passed is counted', async (_, script, request) => {
    world = createCallWorld([script, FINE]);
    const output = createOutput();
    const running = world.run(request, output).then(
      () => 'done',
      (error: Error) => error.name,
    );
    const [upstream] = world.upstreams;
    await vi.waitFor(
      () => expect([upstream!.requests.length, upstream!.read]).toEqual([1, script.chunks!.length - 1]),
      PATIENCE,
    );
    output.controller.abort();
    // Synchronously: the upstream is aborted in the same tick in which the caller leaves.
    expect(upstream!.aborted).toBe(true);
    await running;
    expect(world.upstreams[1]!.requests).toEqual([]);
    expect(world.completed).toMatchObject([
      { outcome: 'canceled', errorCode: 'canceled', attempts: ['a/m:canceled'], isEstimated: true },
    ]);
    expect(world.completed[0]!.usage.input).toBeGreaterThan(0);
  });

  test('before admission: nothing is sent', async () => {
    world = createCallWorld([FINE]);
    const output = createOutput();
    output.controller.abort();
    await world.run(CALL, output).catch(() => undefined);
    expect(world.upstreams[0]!.requests).toEqual([]);
    expect(world.completed).toMatchObject([{ outcome: 'canceled', status: null, cost: 0 }]);
  });

  test('who must be told why gets the reason', async () => {
    world = createCallWorld([{ chunks: [hang] }]);
    const output = createOutput();
    const running = getProblem(world.run(CALL, output));
    await vi.waitFor(() => expect(world.upstreams[0]!.requests).toHaveLength(1), PATIENCE);
    const reason = new Problem('unavailable', 'The server is stopping.');
    output.controller.abort(reason);
    expect(await running).toBe(reason);
  });

  test('after the last byte: the call succeeded', async () => {
    world = createCallWorld([FINE]);
    const output = createOutput((chunk) => {
      if (Buffer.from(chunk).includes('[DONE]')) setImmediate(() => output.controller.abort());
    });
    await world.run(STREAMED, output);
    expect(world.completed).toMatchObject([{ outcome: 'succeeded' }]);
  });
});

test('a caller who stops reading stops the upstream from being read', async () => {
  const chunks = Array.from({ length: 1_000 }, () => delta('Hello'));
  world = createCallWorld([stream(...chunks)]);
  let resume = (): void => undefined;
  const paused = new Promise<void>((resolve) => (resume = resolve));
  let written = 0;
  const output = createOutput(() => (++written === 10 ? paused : undefined));
  const running = world.run(STREAMED, output);
  await vi.waitFor(() => expect(written).toBe(10), PATIENCE);
  const [upstream] = world.upstreams;
  for (let turn = 0; turn < 100; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  expect(upstream!.read).toBe(10);
  resume();
  await running;
  expect(upstream!.read).toBe(1_000);
});

test('a document is recorded before its end is sent', async () => {
  const order: string[] = [];
  world = createCallWorld([{ ...json({}), chunks: ['{"a":1', '}'] }], {
    ledger: { complete: async () => void order.push('recorded') },
  });
  await world.run(
    CALL,
    createOutput((chunk) => void order.push(Buffer.from(chunk).toString())),
  );
  expect(order).toEqual(['{"a":1', 'recorded', '}']);
  world = createCallWorld([]);
});

test('an error within a stream of the responses API is an event of it', async () => {
  const begun =
    'event: response.output_text.delta\ndata: {"type":"response.output_text.delta","delta":"a"}\n\n';
  const late = async (): Promise<void> => {
    throw new UpstreamError('timeout', 'The provider sent nothing more.');
  };
  world = createCallWorld([stream(begun, late)]);
  const body = { model: 'route/r', input: 'a', stream: true };
  const output = await world.run({ ...CALL, operation: 'responses', body });
  expect(output.text()).toMatch(/event: error\ndata: \{"type":"error","code":"model_provider_timeout"/);
  expect(world.upstreams[0]!.requests[0]!.json).not.toHaveProperty('stream_options');
});
