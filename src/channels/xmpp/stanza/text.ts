/** Text as XML takes it, and places in it, which XMPP counts in code points. */

/** Much more than is kept of a text; what is behind is not looked at. */
const MAX_TEXT = 131_072;

/** What XML 1.0 has no place for: a server ends the stream over it. */
const NO_XML = /(?![\t\n\r\u007f-\u009f])\p{Cc}|\p{Cs}|[\ufffe\uffff]/gu;

/** Line ends become those that every XML parser makes of them. */
export const xmlText = (text: string): string => text.replaceAll(NO_XML, '\ufffd').replaceAll(/\r\n?/g, '\n');

export const boundedText = (text: string): string => text.slice(0, MAX_TEXT);

export const getLength = (text: string): number => {
  let length = 0;
  for (const _ of text) length++;
  return length;
};

export type Range = readonly [start: number, end: number];

/** `text` without its ranges, which may overlap, and lie anywhere. */
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
