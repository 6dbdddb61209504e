import { describe, expect, test, vi } from 'vitest';
import { createCallWorld, hang, json, type Script } from '../../../test/support/models/call-world.ts';
import { PATIENCE } from '../../../test/support/patience.ts';
import { Problem } from '../../platform/http/problem.ts';
import { createModelPort } from './model-port.ts';

const QUESTION = { model: 'a/m', system: 'Be brief.', prompt: 'Hi', maxTokens: 5 };

function open(script: Script, options?: Parameters<typeof createCallWorld>[1]) {
  const world = createCallWorld([script], { route: null, ...options });
  const port = createModelPort({ catalog: world.catalog, calls: world.calls });
  const ask = (signal = new AbortController().signal) => port.ask('w', 'rul_1', QUESTION, signal);
  return { world, port, ask };
}

const completion = (content: unknown) => json({ choices: [{ message: { content } }] });

describe('a question', () => {
  test('is a call on behalf of the rule, with its limit', async () => {
    const { world, ask } = open(completion('Hello'));
    expect(await ask()).toEqual({ text: 'Hello' });
    expect(world.admitted).toMatchObject([
      { actor: { workspaceId: 'w', id: 'rul_1' }, operation: 'chat/completions', model: 'a/m' },
    ]);
    expect(world.upstreams[0]!.requests[0]!.json).toEqual({
      model: 'upstream-a',
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hi' },
      ],
      max_tokens: 5,
    });
    expect(world.completed).toMatchObject([{ outcome: 'succeeded' }]);
  });

  test('without budget fails with that code', async () => {
    const problem = new Problem('budget_exceeded', 'No budget is left.');
    const { ask } = open(completion('Hello'), { ledger: { admit: () => Promise.reject(problem) } });
    await expect(ask()).rejects.toBe(problem);
  });

  test.each<[string, Script, object]>([
    [
      'an error',
      json({ error: { message: 'slow down' } }, 429),
      { status: 429, code: 'model_provider_error' },
    ],
    ['an error of its own shape', json({ detail: 'x' }, 400), { status: 400, code: 'model_provider_error' }],
    ['an error in a success', json({ error: { message: 'x' } }), { status: 502 }],
    ['no text', completion(null), { status: 502 }],
    ['no JSON', { chunks: ['<p>'] }, { status: 502 }],
    ['too much', completion('x'.repeat(5_000_000)), { status: 502 }],
  ])('that is answered with %s fails', async (_, script, problem) => {
    const { ask } = open(script);
    await expect(ask()).rejects.toMatchObject(problem);
  });

  test('ends with its signal', async () => {
    const { world, ask } = open({ chunks: [hang] });
    const controller = new AbortController();
    const asking = ask(controller.signal);
    const failing = asking.then(
      () => null,
      (error: Error) => error.name,
    );
    await vi.waitFor(() => expect(world.upstreams[0]!.requests).toHaveLength(1), PATIENCE);
    controller.abort();
    expect(await failing).toBe('AbortError');
    expect(world.upstreams[0]!.aborted).toBe(true);
    expect(world.completed).toMatchObject([{ outcome: 'canceled' }]);
  });
});

test('a model exists if a call to it could be resolved', async () => {
  const { port } = open(completion(''));
  expect(await port.exists('w', 'a/m')).toBe(true);
  const missing = new Problem('not_found', 'There is no such model.');
  const { port: other } = open(completion(''), { catalog: { resolve: () => Promise.reject(missing) } });
  expect(await other.exists('w', 'a/m')).toBe(false);
});
