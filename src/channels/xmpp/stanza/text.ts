/** Converts text for XML, and handles ranges in it, which XMPP counts in code points. */

/** Characters of a text that are read, which is far more than is stored. */
const MAX_TEXT = 131_072;

/** Characters that XML 1.0 forbids. A server ends the stream over them. */
const NO_XML = /(?![\t\n\r\u007f-\u009f])\p{Cc}|\p{Cs}|[\ufffe\uffff]/gu;

/** Replaces forbidden characters, and normalizes line breaks as every XML parser does. */
export const xmlText = (text: string): string => text.replaceAll(NO_XML, '\ufffd').replaceAll(/\r\n?/g, '\n');

export const boundedText = (text: string): string => text.slice(0, MAX_TEXT);

export const getLength = (text: string): number => {
  let length = 0;
  for (const _ of text) length++;
  return length;
};

export type Range = readonly [start: number, end: number];

/** Removes ranges from `text`. They may overlap, and exceed the text. */
export function without(text: string, ranges: readonly Range[]): string {
  if (!ranges.length) return text;
  const points = Array.from(boundedText(text));
  const kept: string[] = [];
  let at = 0;
  for (const [start, end] of ranges.toSorted((a, b) => a[0] - b[0])) {
    if (start > at) kept.push(points.slice(at, start).join(''));
    at = Math.max(at, end);
  }
  return kept.join('') + points.slice(at).join('');
}
