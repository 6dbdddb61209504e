import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { ModelListError, parseModelList } from './model-list.ts';

const parse = (list: unknown, idPrefix?: string) =>
  parseModelList(Buffer.from(JSON.stringify(list)), idPrefix);
const parseOne = (model: object) => parse({ data: [model] })[0]!;

describe('a model list', () => {
  test('of OpenAI has little more than names', () => {
    expect(parseOne({ id: 'gpt-5', object: 'model', created: 1_754_425_777, owned_by: 'system' })).toEqual({
      id: 'gpt-5',
      released_at: new Date(1_754_425_777_000),
      owned_by: 'system',
      context_length: null,
      max_output: null,
      modalities: null,
      capabilities: [],
      price: null,
    });
  });

  test('of OpenRouter has prices per token, modalities and limits', () => {
    const model = {
      id: 'openai/gpt-5',
      created: 1_754_425_777,
      context_length: 400_000,
      architecture: { input_modalities: ['text', 'image'], output_modalities: ['text'] },
      pricing: {
        prompt: '0.00000125',
        completion: '0.00001',
        input_cache_read: '0.000000125',
        request: '0',
        web_search: '0.01',
      },
      top_provider: { context_length: 400_000, max_completion_tokens: 128_000 },
      supported_parameters: ['tools', 'structured_outputs', 'temperature'],
    };
    expect(parseOne(model)).toMatchObject({
      id: 'openai/gpt-5',
      context_length: 400_000,
      max_output: 128_000,
      modalities: { input: ['text', 'image'], output: ['text'] },
      capabilities: ['json_schema', 'tools', 'vision'],
      price: { input: 1.25, output: 10, cached_input: 0.125, request: 0, search: 0.01 },
    });
  });

  test('has names of any script, but none of more than a line', () => {
    const names = [
      '/srv/ai/My Models/gemma.gguf',
      '模型-7b',
      ' padded',
      'two\nlines',
      '\ud800',
      'x'.repeat(201),
    ];
    const ids = parse({ object: 'list', data: names.map((id) => ({ id, object: 'model' })) });
    expect(ids.map(({ id }) => id)).toEqual(names.slice(0, 2));
  });

  test.each([
    [{ prompt: '-1', completion: '-1' }],
    [{ prompt: '', completion: '' }],
    [{ prompt: '1e-6' }],
    [{}],
    [null],
    ['free'],
  ])('has no price in %j', (pricing) => {
    expect(parseOne({ id: 'a', pricing }).price).toBeNull();
  });

  test.each([
    ['vLLM', { max_model_len: 8192 }],
    ['Groq', { context_window: 8192 }],
    ['Mistral', { max_context_length: 8192 }],
    ['Gemini', { inputTokenLimit: 8192 }],
    ['llama.cpp', { meta: { n_ctx_train: 8192 } }],
  ])('of %s has the context length', (_, fields) => {
    expect(parseOne({ id: 'a', ...fields }).context_length).toBe(8192);
  });

  test('of Mistral has capabilities', () => {
    const capabilities = { completion_chat: true, function_calling: true, vision: false, fine_tuning: true };
    expect(parseOne({ id: 'a', capabilities }).capabilities).toEqual(['chat', 'tools']);
  });

  test.each([
    ['an array', [{ id: 'a' }]],
    ['`models`', { models: [{ name: 'a' }] }],
    ['`models` of Ollama', { models: [{ model: 'a', name: 'A model' }] }],
  ])('may be %s', (_, list) => {
    expect(parse(list).map(({ id }) => id)).toEqual(['a']);
  });

  test('of Gemini has a prefix before each name', () => {
    expect(parse({ data: [{ id: 'models/gemini' }, { id: 'b' }] }, 'models/').map(({ id }) => id)).toEqual([
      'gemini',
      'b',
    ]);
  });

  test('leaves out what is no model', () => {
    const data = [
      null,
      'a',
      [],
      {},
      { id: 5 },
      { id: '' },
      { id: 'two\nlines' },
      { id: 'x'.repeat(201) },
      { id: 'good', context_length: 'long', owned_by: {}, created: 'now', modalities: 7 },
      { id: 'good', context_length: 5 },
    ];
    expect(parse({ data })).toEqual([
      {
        id: 'good',
        released_at: null,
        owned_by: null,
        context_length: null,
        max_output: null,
        modalities: null,
        capabilities: [],
        price: null,
      },
    ]);
  });

  test('is cut off after 5,000 models', () => {
    const data = Array.from({ length: 5_001 }, (_, nth) => ({ id: `m${nth}` }));
    expect(parse({ data })).toHaveLength(5_000);
  });

  test('may have as many values as the longest known, with one model in detail after another', () => {
    const model = {
      description: 'x'.repeat(1000),
      supported_parameters: Array.from({ length: 40 }, (_, nth) => `p${nth}`),
      pricing: Object.fromEntries(Array.from({ length: 12 }, (_, nth) => [`price${nth}`, '0.000001'])),
    };
    const data = Array.from({ length: 1_500 }, (_, nth) => ({ id: `m${nth}`, ...model }));
    expect(parse({ data })).toHaveLength(1_500);
  });

  test('is refused before it is parsed if it has more values than that', () => {
    const parsed = vi.spyOn(JSON, 'parse');
    onTestFinished(() => parsed.mockRestore());
    const list = Buffer.from(`{"data":[${'[],'.repeat(5_592_000)}[]]}`);
    expect(() => parseModelList(list)).toThrow('The model list has more than 100000 values.');
    expect(parsed).not.toHaveBeenCalled();
  });

  test.each([['not json'], ['{}'], ['null'], ['{"data": 5}'], ['']])('is not %j', (text) => {
    expect(() => parseModelList(Buffer.from(text))).toThrow(ModelListError);
  });
});
