/** Finds the ends of strings in the bytes of JSON. */

const QUOTE = 34;
const BACKSLASH = 92;
/** Shorter strings are read faster byte by byte than with a search. */
const SHORT_STRING = 64;

/** Returns the index of the quote that ends a string, or the length. @param start index after its first quote */
export function findEndOfString(bytes: Buffer, start: number): number {
  let at = start;
  for (;;) {
    const near = Math.min(at + SHORT_STRING, bytes.length);
    for (; at < near; at++)
      if (bytes[at] === BACKSLASH) at++;
      else if (bytes[at] === QUOTE) return at;
    const quote = bytes.indexOf(QUOTE, at);
    if (quote === -1) return bytes.length;
    let backslashes = 0;
    while (quote - backslashes > at && bytes[quote - backslashes - 1] === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return quote;
    at = quote + 1;
  }
}
