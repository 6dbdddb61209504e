/** OpenAI's own client, unchanged, pointed at /api/v1. */
import OpenAI, { APIError, AuthenticationError, NotFoundError, PermissionDeniedError } from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, startWorkspace, type TestApp } from '../../src/testing/test-app.ts';

let app: TestApp;
let client: OpenAI;
const clientWith = (apiKey: string): OpenAI =>
  new OpenAI({ apiKey, baseURL: `${app.base}/api/v1`, maxRetries: 0 });

beforeAll(async () => {
  app = await startTestApp();
  const { key } = await startWorkspace(app);
  client = clientWith(key);
});
afterAll(() => app.stop());

const MODEL = 'fairlead/echo';
const SAID = 'Ahoy there, harbour master. Ünïcode, too: 灯台 🚢';
const messages = [{ role: 'user' as const, content: SAID }];

async function failure(promise: Promise<unknown>): Promise<APIError> {
  const error = await promise.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(APIError);
  return error as APIError;
}

describe('models', () => {
  test('are listed', async () => {
    const models = [];
    for await (const model of client.models.list()) models.push(model);
    expect(models).toContainEqual(
      expect.objectContaining({
        id: MODEL,
        object: 'model',
        owned_by: 'fairlead',
        created: expect.any(Number),
      }),
    );
  });

  test('are given one by one, slash and all', async () => {
    expect(await client.models.retrieve(MODEL)).toMatchObject({ id: MODEL, object: 'model' });
  });

  test('that are not there are NotFoundError', async () => {
    const error = await failure(client.models.retrieve('fairlead/none'));
    expect(error).toBeInstanceOf(NotFoundError);
    expect(error.code).toBe('not_found');
  });
});

describe('a chat', () => {
  test('is answered whole', async () => {
    const completion = await client.chat.completions.create({ model: MODEL, messages });
    expect(completion.object).toBe('chat.completion');
    expect(completion.choices[0]).toMatchObject({
      finish_reason: 'stop',
      message: { role: 'assistant', content: SAID },
    });
    const { prompt_tokens, completion_tokens, total_tokens } = completion.usage!;
    expect(prompt_tokens).toBeGreaterThan(0);
    expect(total_tokens).toBe(prompt_tokens + completion_tokens);
  });

  test('streams in pieces that make the whole', async () => {
    const stream = await client.chat.completions.create({
      model: MODEL,
      messages,
      stream: true,
      stream_options: { include_usage: true },
    });
    const pieces: string[] = [];
    let finish: string | null = null;
    let used = 0;
    for await (const { choices, usage } of stream) {
      if (choices[0]?.delta.content) pieces.push(choices[0].delta.content);
      finish = choices[0]?.finish_reason ?? finish;
      used = usage?.total_tokens ?? used;
    }
    expect(pieces.length).toBeGreaterThan(3);
    expect(pieces.join('')).toBe(SAID);
    expect(finish).toBe('stop');
    expect(used).toBeGreaterThan(0);
  });

  test('can be followed by the helper for streams, and left', async () => {
    const runner = client.chat.completions.stream({ model: MODEL, messages });
    expect(await runner.finalContent()).toBe(SAID);
    const left = await client.chat.completions.create({
      model: MODEL,
      messages: [{ role: 'user', content: 'word '.repeat(50_000) }],
      stream: true,
    });
    let read = 0;
    for await (const _chunk of left) if ((read += 1) === 3) break;
    expect(read).toBe(3);
  });

  test('with an unknown model, or without messages, is refused in words that the client shows', async () => {
    const unknown = await failure(client.chat.completions.create({ model: 'nobody/nothing', messages }));
    expect(unknown).toBeInstanceOf(NotFoundError);
    expect(unknown.message).toContain('nobody/nothing');
    const empty = await failure(
      client.chat.completions.create({ model: MODEL } as unknown as { model: string; messages: [] }),
    );
    expect(empty).toMatchObject({ status: 400, type: 'invalid_request_error' });
    expect(empty.param).toContain('messages');
  });
});

describe('a key', () => {
  test('that is wrong is AuthenticationError, with message, type and code', async () => {
    const error = await failure(clientWith('fl_wrong').models.list());
    expect(error).toBeInstanceOf(AuthenticationError);
    expect(error).toMatchObject({ status: 401, type: 'authentication_error', code: 'invalid_key' });
    expect(error.message).toContain('This is not an API key');
  });

  test('without the scope is PermissionDeniedError that names it', async () => {
    const { key } = await startWorkspace(app, { scopes: ['models:read'] });
    const reader = clientWith(key);
    expect((await reader.models.list()).data).not.toHaveLength(0);
    const error = await failure(reader.chat.completions.create({ model: MODEL, messages }));
    expect(error).toBeInstanceOf(PermissionDeniedError);
    expect(error.message).toContain('models:invoke');
  });
});
