/** Splits a text that is longer than a channel takes in one message. Pure. */

/** Where a text is cut, the best first: after a paragraph, a line, a sentence, a word. */
const BREAKS = [/\n[^\S\n]*\n\s*/g, /\n\s*/g, /(?<=[.!?…。！？])\s+/g, /\s+/g];

/** Offset in UTF-16 units behind the first `count` code points. */
function getOffset(text: string, count: number): number {
  let offset = 0;
  for (let left = count; left > 0 && offset < text.length; left--)
    offset += text.codePointAt(offset)! > 0xff_ff ? 2 : 1;
  return offset;
}

/**
 * Where the first part ends and the next begins. A coarser break within the first half is passed over for a finer one
 * behind it, so that parts aren't many and short.
 */
function findCut(text: string, end: number): { end: number; next: number } {
  for (const [nth, pattern] of BREAKS.entries()) {
    const least = nth < BREAKS.length - 1 ? end / 2 : 1;
    // A break directly behind the part counts too.
    const found = [...text.slice(0, end + 1).matchAll(pattern)].findLast(({ index }) => index >= least);
    if (found) return { end: found.index, next: found.index + found[0].length };
  }
  return { end, next: end };
}

/**
 * Splits a text at paragraphs, else at lines, sentences or words, else anywhere between code points.
 * @param max code points of each part
 * @param maxParts the rest of a text that would need more is one further part
 * @returns at least one part; blanks where it is cut, and at its beginning, are left out
 */
export function splitText(text: string, max: number, maxParts: number): string[] {
  const parts: string[] = [];
  let rest = getOffset(text, max) < text.length ? text.trimStart() : text;
  for (let end = getOffset(rest, max); end < rest.length; end = getOffset(rest, max)) {
    if (parts.length === maxParts) break;
    const cut = findCut(rest, end);
    parts.push(rest.slice(0, cut.end));
    rest = rest.slice(cut.next).trimStart();
  }
  return rest.trim() === '' && parts.length ? parts : [...parts, rest];
}
