/** Errors of a provider, as its callers get them. */
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  breakOff,
  type CallWorld,
  createCallWorld,
  delta,
  hang,
  json,
  ROLE,
  type Script,
  stream,
  STREAMED,
  assertSettled,
  getProblem,
} from '../../../../test/support/models/call-world.ts';

let world: CallWorld;

afterEach(() => assertSettled(world));

describe('an error of a provider', () => {
  test.each<[string, Script, string]>([
    ['in another shape', json({ message: 'No such model' }, 404), 'No such model'],
    ['in a list', json([{ error: { message: 'Invalid key' } }], 404), 'Invalid key'],
    ['that is a page', { status: 404, headers: { 'content-type': 'text/html' }, chunks: ['<p>'] }, '404'],
  ])('%s keeps its status and becomes a problem', async (_, script, detail) => {
    world = createCallWorld([script]);
    const problem = await getProblem(world.run());
    expect(problem).toMatchObject({ status: 404, code: 'model_provider_error' });
    expect(problem.message).toContain(detail);
  });

  test('in a document of status 200 is passed on as an error', async () => {
    world = createCallWorld([json({ error: { message: 'no' } })]);
    const output = await world.run();
    expect([output.status, output.text()]).toEqual([502, '{"error":{"message":"no"}}']);
    expect(world.completed).toMatchObject([
      { outcome: 'failed', status: 502, errorCode: 'http_502', cost: 0, isEstimated: false },
    ]);
    expect(world.reports).toEqual([{ model: 'a/m', failure: 502 }]);
  });

  test('that breaks a small document off is an error', async () => {
    world = createCallWorld([{ ...json({}), chunks: ['{"choices":', '[', breakOff] }]);
    expect(await getProblem(world.run())).toMatchObject({ code: 'model_provider_error', status: 502 });
    expect(world.completed).toMatchObject([{ outcome: 'failed', errorCode: 'broken' }]);
  });

  test('that breaks a large document off closes the connection', async () => {
    world = createCallWorld([{ ...json({}), chunks: ['{"choices":', '[1,'.repeat(30_000), breakOff] }]);
    const output = await world.run();
    expect(output.ended).toBe('cut');
    expect(world.completed).toMatchObject([{ outcome: 'failed', errorCode: 'broken' }]);
  });

  test('between two frames is reported in the stream; within one it closes the connection', async () => {
    world = createCallWorld([stream(ROLE, delta('a'), breakOff)], { route: null });
    const body = { ...STREAMED.body, stream_options: { include_usage: true } };
    const reported = await world.run({ ...STREAMED, body });
    expect(reported.ended).toBe('end');
    expect(reported.text()).toMatch(/data: \{"error":\{.*"model_provider_error"\}\}\n\n$/);
    world = createCallWorld([stream(ROLE, `${delta('a')}data: {"ch`, breakOff)], { route: null });
    const cut = await world.run({ ...STREAMED, body });
    expect(cut.ended).toBe('cut');
  });
});

test('an error that a provider sends slowly is waited for ten seconds, and read as far as it came', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const fine = { choices: [{ message: { content: 'Hello' } }] };
  const slow = { status: 503, chunks: ['Overloaded', hang] };
  world = createCallWorld([slow, json(fine)]);
  const running = world.run();
  await vi.waitFor(() => expect(world.upstreams[0]!.read).toBe(1));
  await vi.advanceTimersByTimeAsync(9_000);
  expect(world.upstreams[1]!.requests).toEqual([]);
  await vi.advanceTimersByTimeAsync(1_000);
  expect((await running).text()).toBe(JSON.stringify(fine));
  expect(world.upstreams[0]!.aborted).toBe(true);
  world = createCallWorld([slow]);
  const alone = getProblem(world.run());
  await vi.waitFor(() => expect(world.upstreams[0]!.read).toBe(1));
  await vi.advanceTimersByTimeAsync(10_000);
  expect((await alone).message).toBe('The model provider responded with status 503: Overloaded');
});
