/** Text of echo: splitting, counting and cutting it by tokens. */
const CHARACTERS_A_TOKEN = 4;
const MAX_IN_WORDS = 20_000;
const MAX_PIECES = 1_000;

/** Returns the text of a message: a string, or the text parts of a list. */
export function getText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .map((part: { type?: string; text?: unknown } | null) =>
      TEXT_PARTS.has(part?.type) && typeof part?.text === 'string' ? part.text : '',
    )
    .join('');
}
const TEXT_PARTS: ReadonlySet<unknown> = new Set(['text', 'input_text', 'output_text']);

export const countTokens = (text: string): number => Math.ceil(text.length / CHARACTERS_A_TOKEN);

const isLowSurrogate = (code: number): boolean => code >= 0xdc00 && code <= 0xdfff;

/** Cuts a text to a number of tokens, never within a character. @param max null for no limit */
export function cutText(text: string, max: unknown): { text: string; isCut: boolean } {
  if (typeof max !== 'number' || !(max > 0) || countTokens(text) <= max) return { text, isCut: false };
  let end = Math.floor(max) * CHARACTERS_A_TOKEN;
  if (isLowSurrogate(text.charCodeAt(end))) end -= 1;
  // A copy: a slice would keep the whole text in memory.
  return { text: Buffer.from(text.slice(0, end), 'utf16le').toString('utf16le'), isCut: true };
}

/**
 * Splits a text into words with their leading space, or a long text into some thousand equal chunks that never split a
 * character.
 */
export function* splitText(text: string): Generator<string> {
  if (text.length <= MAX_IN_WORDS) {
    for (const [word] of text.matchAll(/\s*\S+\s*?|\s+$/g)) yield word;
    return;
  }
  const size = Math.ceil(text.length / MAX_PIECES);
  for (let at = 0, end = 0; at < text.length; at = end) {
    end = Math.min(at + size, text.length);
    if (isLowSurrogate(text.charCodeAt(end))) end++;
    yield text.slice(at, end);
  }
}
