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
    expect(await ask()).toEqual({ text: 'Hello', reasoning: null });
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

  test.each<[string, object, object]>([
    [
      'a list of parts',
      {
        content: [
          { type: 'thinking', thinking: [{ type: 'text', text: 'hmm' }] },
          { type: 'text', text: 'The answer is 4.' },
        ],
      },
      { text: 'The answer is 4.', reasoning: null },
    ],
    ['thoughts', { content: '<think>\n2+2\n</think>\n\n4' }, { text: '4', reasoning: '2+2' }],
    ['thoughts without their beginning', { content: '2+2</think>4' }, { text: '4', reasoning: '2+2' }],
    ['empty thoughts', { content: '<think></think>4' }, { text: '4', reasoning: null }],
    ['thoughts beside it', { content: '4', reasoning_content: '2+2' }, { text: '4', reasoning: '2+2' }],
    [
      'thoughts in its text',
      { content: 'Use <think> and </think>.' },
      { text: 'Use <think> and </think>.', reasoning: null },
    ],
  ])('is answered by %s', async (_, message, answer) => {
    const { ask } = open(json({ choices: [{ message }] }));
    expect(await ask()).toEqual(answer);
  });

  test('is asked again with max_completion_tokens where max_tokens is refused, and then with it alone', async () => {
    const asked: object[] = [];
    const world = createCallWorld([completion('4')], { route: null });
    const [upstream] = world.upstreams;
    const error = {
      message:
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      type: 'invalid_request_error',
      param: 'max_tokens',
      code: 'unsupported_parameter',
    };
    const send = upstream!.send;
    upstream!.send = async (request) => {
      const { max_tokens, max_completion_tokens } = JSON.parse(request.body.toString());
      asked.push({ max_tokens, max_completion_tokens });
      if (max_tokens === undefined) return send(request);
      const refused = createCallWorld([json({ error }, 400)]);
      return refused.upstreams[0]!.send(request);
    };
    const port = createModelPort({ catalog: world.catalog, calls: world.calls });
    const ask = () => port.ask('w2', 'rul_1', QUESTION, new AbortController().signal);
    expect([(await ask()).text, (await ask()).text]).toEqual(['4', '4']);
    expect(asked).toEqual([{ max_tokens: 5 }, { max_completion_tokens: 5 }, { max_completion_tokens: 5 }]);
    expect(world.completed.map(({ outcome, cost }) => [outcome, cost === 0])).toEqual([
      ['failed', true],
      ['succeeded', false],
      ['succeeded', false],
    ]);
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
    ['only thoughts', completion('<think>Well, let me'), { status: 502 }],
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
