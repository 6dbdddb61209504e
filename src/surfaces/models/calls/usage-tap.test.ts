import { describe, expect, test } from 'vitest';
import { createFrameSplitter, looksLikeEvents } from './sse-frames.ts';
import type { CallOperation } from '../contract/upstream.ts';
import { createUsageTap, type UsageTap } from './usage-tap.ts';

const data = (value: object | string): string =>
  `data: ${typeof value === 'string' ? value : JSON.stringify(value)}\n\n`;
const delta = (content: string): string => data({ choices: [{ index: 0, delta: { content } }] });

const USAGE = {
  prompt_tokens: 9,
  completion_tokens: 4,
  total_tokens: 13,
  prompt_tokens_details: { cached_tokens: 6 },
};
const USAGE_FRAME = data({ id: 'c', choices: [], usage: USAGE });
const CHAT = [
  ': a comment\n\n',
  data({ choices: [{ index: 0, delta: { role: 'assistant', content: '' } }], usage: null }),
  delta('Grüße 🚢'),
  delta(' to "usage": {'),
  data({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }),
];
const DONE = data('[DONE]');

/** Every way to cut a text in two, and byte by byte. */
function* splits(text: string): Generator<Buffer[]> {
  const bytes = Buffer.from(text);
  for (let at = 0; at <= bytes.length; at++) yield [bytes.subarray(0, at), bytes.subarray(at)];
  yield Array.from(bytes, (_, at) => bytes.subarray(at, at + 1));
}

function pass(tap: UsageTap, chunks: Buffer[]): string {
  const relayed = chunks.map((chunk) => tap.push(chunk));
  return Buffer.concat([...relayed, tap.end()]).toString();
}

/** Reads a text in every way to split it. @returns the distinct results */
function readSplits(
  operation: CallOperation,
  options: { isStream: boolean; dropsUsage: boolean },
  text: string,
): unknown[] {
  const results = new Set<string>();
  for (const chunks of splits(text)) {
    const tap = createUsageTap(operation, options);
    const relayed = pass(tap, chunks);
    const [usage, tokens] = [tap.usage(), tap.estimate()];
    const [hasContent, hasFailed] = [tap.hasContent(), tap.hasFailed()];
    results.add(JSON.stringify({ relayed, usage, tokens, hasContent, hasFailed }));
  }
  return Array.from(results, (result): unknown => JSON.parse(result));
}

describe('a chat stream', () => {
  const options = { isStream: true, dropsUsage: false };

  test('passes unchanged, and its usage is read, however it is split', () => {
    const text = [...CHAT, USAGE_FRAME, DONE].join('');
    for (const given of [text, text.replaceAll('\n', '\r\n')])
      expect(readSplits('chat/completions', options, given)).toEqual([
        {
          relayed: given,
          usage: { input: 9, cached: 6, output: 4 },
          // Quarters: 18 of ASCII, 4 of letters with accents, 8 of an emoji.
          tokens: 8,
          hasContent: true,
          hasFailed: false,
        },
      ]);
  });

  test('loses the frame of usage alone, if the caller did not ask for it', () => {
    const text = [...CHAT, USAGE_FRAME, DONE].join('');
    for (const given of [text, text.replaceAll('\n', '\r\n')]) {
      const frame = given === text ? USAGE_FRAME : USAGE_FRAME.replaceAll('\n', '\r\n');
      expect(readSplits('chat/completions', { isStream: true, dropsUsage: true }, given)).toMatchObject([
        { relayed: given.replace(frame, ''), usage: { input: 9, cached: 6, output: 4 } },
      ]);
    }
  });

  test('keeps usage in a chunk with content, and the unfinished frame at its end', () => {
    const text = `${data({ choices: [{ delta: { content: 'a' } }], usage: USAGE })}data: {"choi`;
    const tap = createUsageTap('chat/completions', { isStream: true, dropsUsage: true });
    expect(pass(tap, [Buffer.from(text)])).toBe(text);
    expect(tap.usage()).toMatchObject({ input: 9 });
  });

  test('with an error in a frame has failed', () => {
    const text = CHAT[1] + data({ error: { message: 'overloaded' } });
    expect(readSplits('chat/completions', options, text)).toMatchObject([
      { relayed: text, hasContent: false, hasFailed: true },
    ]);
  });

  test.each([
    ['the role alone', { delta: { role: 'assistant', content: '' } }, false],
    ['text', { delta: { content: 'a' } }, true],
    ['reasoning', { delta: { reasoning_content: 'a' } }, true],
    ['a tool call', { delta: { tool_calls: [{ index: 0, function: { name: 'f', arguments: '' } }] } }, true],
    ['an end without text', { delta: {}, finish_reason: 'stop' }, true],
  ])('has content after %s: %#', (_, choice, hasContent) => {
    const tap = createUsageTap('chat/completions', options);
    tap.push(Buffer.from(data({ choices: [choice] })));
    expect(tap.hasContent()).toBe(hasContent);
  });

  test('reports tokens that only the total has apart from the output', () => {
    const tap = createUsageTap('chat/completions', options);
    const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 40 };
    pass(tap, [Buffer.from(data({ choices: [], usage }))]);
    expect(tap.usage()).toEqual({ input: 10, cached: 0, output: 5, unexplained: 25 });
  });

  test('keeps counts that a later frame reports as 0', () => {
    const tap = createUsageTap('chat/completions', options);
    const [counted, zeros] = [1_000, 0].map((input) => ({
      prompt_tokens: input,
      completion_tokens: input / 20,
      total_tokens: input + input / 20,
    }));
    const last = { index: 0, delta: { content: 'Hi' }, finish_reason: 'stop' };
    const frames = [data({ choices: [last], usage: counted }), data({ choices: [], usage: zeros }), DONE];
    pass(tap, [Buffer.from(frames.join(''))]);
    expect(tap.usage()).toEqual({ input: 1_000, cached: 0, output: 50 });
  });

  test.each([
    ['choices: null', { choices: null, usage: USAGE }],
    ['no choices', { usage: USAGE }],
    ['no choices', { choices: [], usage: USAGE }],
  ])('loses a frame of usage with %s, whatever its line ends and however it is split', (_, value) => {
    for (const lineEnd of ['\n', '\r\n', '\r']) {
      const [before, frame, after] = [CHAT.join(''), data(value), DONE].map((text) =>
        text.replaceAll('\n', lineEnd),
      );
      const drops = { isStream: true, dropsUsage: true };
      expect(readSplits('chat/completions', drops, before! + frame! + after!)).toMatchObject([
        { relayed: before! + after!, usage: { input: 9, cached: 6, output: 4 } },
      ]);
    }
  });

  test('keeps a frame that reports an error beside usage', () => {
    const text = data({ error: { message: 'overloaded' }, usage: USAGE });
    const tap = createUsageTap('chat/completions', { isStream: true, dropsUsage: true });
    expect(pass(tap, [Buffer.from(text)])).toBe(text);
  });

  test.each([
    ['values', `{"prompt_tokens":1,"x":[${'[],'.repeat(2_000)}[]]}`],
    ['levels', `{"prompt_tokens":1,"x":${'['.repeat(20)}${']'.repeat(20)}}`],
    ['levels of objects', `{"x":${'{"y":'.repeat(20)}1${'}'.repeat(20)}}`],
    ['bytes', `{"prompt_tokens":1,"x":"${'x'.repeat(20_000)}"}`],
  ])('with usage of too many %s has that before or after it', (_, excessive) => {
    for (const usages of [
      [excessive, JSON.stringify(USAGE)],
      [JSON.stringify(USAGE), excessive],
    ]) {
      const tap = createUsageTap('chat/completions', options);
      const members = usages.map((usage) => `"usage":${usage}`).join(',');
      pass(tap, [Buffer.from(`data: {"x":"${'x'.repeat(300_000)}",${members}}\n\n`)]);
      expect(tap.usage()).toEqual({ input: 9, cached: 6, output: 4 });
    }
  });

  test('of lines that are not JSON, without line ends or with huge frames, passes', () => {
    const huge = `data: {"choices":[{"delta":{"content":"${'x'.repeat(700_000)}"}}],"usage":${JSON.stringify(USAGE)}}\n\n`;
    const text = `data: nonsense\n\nevent: x\n\n${huge}${huge}${DONE}no end`;
    const bytes = Buffer.from(text);
    for (const size of [1_000, 65_536, bytes.length]) {
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, nth) =>
        bytes.subarray(nth * size, (nth + 1) * size),
      );
      for (const dropsUsage of [true, false]) {
        const tap = createUsageTap('chat/completions', { isStream: true, dropsUsage });
        expect(pass(tap, chunks).length).toBe(text.length);
        expect(tap.usage()).toEqual({ input: 9, cached: 6, output: 4 });
      }
    }
  });
});

describe('a stream of the responses API', () => {
  const event = (type: string, more: object): string => `event: ${type}\n${data({ type, ...more })}`;
  const usage = { input_tokens: 7, output_tokens: 3, input_tokens_details: { cached_tokens: 2 } };
  const begun = event('response.created', { response: { status: 'in_progress', usage: null, error: null } });

  test('reports usage in its last event', () => {
    const text =
      begun +
      event('response.output_text.delta', { delta: 'Hello' }) +
      event('response.completed', { response: { error: null, usage } });
    expect(readSplits('responses', { isStream: true, dropsUsage: false }, text)).toEqual([
      {
        relayed: text,
        usage: { input: 7, cached: 2, output: 3 },
        tokens: 2,
        hasContent: true,
        hasFailed: false,
      },
    ]);
  });

  test.each([
    ['response.failed', { response: { error: { code: 'server_error' }, usage } }],
    ['error', { code: 'rate_limit_exceeded', message: 'slow down' }],
  ])('that ends in %s has failed', (type, more) => {
    const tap = createUsageTap('responses', { isStream: true, dropsUsage: false });
    pass(tap, [Buffer.from(begun)]);
    expect([tap.hasContent(), tap.hasFailed()]).toEqual([false, false]);
    pass(tap, [Buffer.from(event(type, more))]);
    expect([tap.hasContent(), tap.hasFailed()]).toEqual([false, true]);
  });
});

describe('a document', () => {
  const read = (operation: 'chat/completions' | 'responses' | 'embeddings', chunks: Buffer[]): UsageTap => {
    const tap = createUsageTap(operation, { isStream: false, dropsUsage: false });
    expect(pass(tap, chunks)).toBe(Buffer.concat(chunks).toString());
    return tap;
  };

  test('reports usage, or has its output counted', () => {
    const choices = [{ message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }];
    const tap = read('chat/completions', [Buffer.from(JSON.stringify({ choices, usage: USAGE }))]);
    expect(tap.usage()).toEqual({ input: 9, cached: 6, output: 4 });
    const silent = read('chat/completions', [Buffer.from(JSON.stringify({ choices }))]);
    expect([silent.usage(), silent.estimate()]).toEqual([null, 2]);
  });

  test('with an error in it has failed', () => {
    const failed = read('responses', [
      Buffer.from(JSON.stringify({ status: 'failed', error: { code: 'x' } })),
    ]);
    expect(failed.hasFailed()).toBe(true);
    const fine = read('responses', [Buffer.from(JSON.stringify({ status: 'completed', error: null }))]);
    expect(fine.hasFailed()).toBe(false);
  });

  test('of any size has its usage read, wherever it is and however it is split', () => {
    const embedding = Array.from({ length: 100_000 }, (_, nth) => nth / 7);
    const usage = { prompt_tokens: 5, total_tokens: 5 };
    const first = JSON.stringify({
      usage,
      text: 'the \\"usage\\": {"prompt_tokens": 1}',
      data: [{ embedding }],
    });
    const last = JSON.stringify({ data: [{ embedding, text: '"usage": {' }], usage });
    for (const text of [first, last])
      for (const size of [61, 4_093, 65_536]) {
        const bytes = Buffer.from(text);
        const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, nth) =>
          bytes.subarray(nth * size, (nth + 1) * size),
        );
        expect(read('embeddings', chunks).usage()).toEqual({ input: 5, cached: 0, output: 0 });
      }
  });
});

test('frames that are joined again are what was split, and none is larger than the limit and a chunk', () => {
  const text = `\n\n\r\ndata: a\n\ndata: ${'b'.repeat(500)}\r\n\r\n:c\ndata: d\n\n`;
  const onlyCr = text.replaceAll('\r\n', '\n').replaceAll('\n', '\r');
  for (const [given, chunks] of [text, onlyCr].flatMap((one) =>
    Array.from(splits(one), (parts) => [one, parts] as const),
  )) {
    const splitter = createFrameSplitter(100);
    const frames = [...chunks.flatMap((chunk) => splitter.push(chunk)), ...splitter.end()];
    expect(Buffer.concat(frames.map(({ bytes }) => bytes)).toString()).toBe(given);
    expect(frames.filter(({ isFirst }) => isFirst)).toHaveLength(3);
    expect(frames.filter(({ isLast }) => isLast)).toHaveLength(3);
    expect(splitter.isAtBoundary()).toBe(true);
  }
});

test('a stream is told from a document by its first bytes', () => {
  const look = (text: string): boolean | null => looksLikeEvents(Buffer.from(text));
  for (const text of ['data: {}', '\n\nevent: x', ': ping', 'id:1', '\uFEFFdata:', 'retry: 5'])
    expect(look(text), text).toBe(true);
  for (const text of ['{"data":1}', '[1]', ' data: x', '<html>', 'database: x', 'date: 1'])
    expect(look(text), text).toBe(false);
  for (const text of ['', 'd', 'data', '\r\nevent']) expect(look(text), text).toBeNull();
});
