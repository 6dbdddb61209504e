import { describe, expect, test } from 'vitest';
import { createEchoProvider } from './echo-provider.ts';

const echo = createEchoProvider({ paceMs: 0 });
const context = { signal: new AbortController().signal, traceparent: null };

async function getPieces(content: unknown): Promise<string[]> {
  const messages = [{ role: 'user', content }];
  const answer = await echo.chat({ model: 'fairlead/echo', stream: true, messages }, context);
  if (answer.content.kind !== 'stream') throw new Error('not a stream');
  const frames: string[] = [];
  for await (const chunk of answer.content.chunks) frames.push(String(chunk));
  expect(frames.at(-1)).toBe('data: [DONE]\n\n');
  return frames.slice(1, -2).map((frame) => JSON.parse(frame.slice(6)).choices[0].delta.content);
}

describe('a stream gives back the whole text in pieces', () => {
  test.each(['Hello, dear  world!\n', ' ', '', 'a', ' a ', '💥 💥', 'a\u2028b'])('%j', async (text) => {
    expect((await getPieces(text)).join('')).toBe(text);
  });

  test('word by word', async () => {
    expect(await getPieces('one two  three')).toEqual(['one', ' two', '  three']);
  });

  test('of a huge text in a bounded number of pieces, with no character cut in two', async () => {
    const text = 'é💥a '.repeat(400_000);
    const pieces = await getPieces(text);
    expect(pieces.length).toBeLessThanOrEqual(1_001);
    expect(pieces.every((piece) => piece.isWellFormed())).toBe(true);
    expect(pieces.join('')).toBe(text);
  });
});
