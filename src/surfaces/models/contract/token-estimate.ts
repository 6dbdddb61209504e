/** Estimates tokens of text whose provider does not report them, in quarters of a token, so that parts can be added up. */

/** Ranges of UTF-16 units → quarters of a token that a unit takes. Units below them take one, as in English. */
const SCRIPTS: readonly (readonly [first: number, quarters: number])[] = [
  // Latin with accents, Greek, Cyrillic, Hebrew, Arabic.
  [0x80, 2],
  // Scripts of India and Southeast Asia, Georgian, Hangul letters, Ethiopic.
  [0x0900, 3],
  // Latin with accents, punctuation, symbols.
  [0x1e00, 2],
  // Chinese, Japanese and Korean. Halves of emoji and of rare characters, which take two tokens or more.
  [0x2e80, 4],
];

/** Returns quarters of a token. */
export function countQuarters(text: string): number {
  // No loop for ASCII alone.
  if (Buffer.byteLength(text) === text.length) return text.length;
  let quarters = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    quarters += SCRIPTS.findLast(([first]) => unit >= first)?.[1] ?? 1;
  }
  return quarters;
}

export const toTokens = (quarters: number): number => Math.ceil(quarters / 4);
