/** Splits a text that is longer than a channel takes in one message. Pure. */

/** Where a text is cut, the best first: after a paragraph, a line, a sentence, a word. */
const BREAKS = [/\n[^\S\n]*\n\s*/g, /\n\s*/g, /(?<=[.!?…。！？])\s+/g, /\s+/g];

/** A URL in a text: it has no blanks, and is not cut. */
export interface Unbroken {
  /** Offset in UTF-16 units, as `length`. */
  at: number;
  length: number;
  /** Code points that it takes when it is sent: fewer than it has, where it becomes a short link. */
  size: number;
}

/** Offsets in UTF-16 units. */
export interface TextPart {
  start: number;
  end: number;
}

/**
 * Returns the offset after as many code points as a part may have. Unbreakable ranges are included completely or not at
 * all.
 */
function getEnd(text: string, start: number, max: number, unbroken: readonly Unbroken[]): number {
  let nth = unbroken.findIndex(({ at }) => at >= start);
  let offset = start;
  for (let left = max; left > 0 && offset < text.length;) {
    const whole = unbroken[nth];
    if (whole?.at !== offset) {
      left -= 1;
      offset += text.codePointAt(offset)! > 0xff_ff ? 2 : 1;
      continue;
    }
    if (whole.size > left) break;
    left -= whole.size;
    offset += whole.length;
    nth += 1;
  }
  return offset;
}

/** UTF-16 units in front of a cut that are searched for a boundary of characters; longer characters are cut. */
const WINDOW = 256;
const CHARACTERS = new Intl.Segmenter('und', { granularity: 'grapheme' });
const IS_FLAG_HALF = /^\p{Regional_Indicator}/u;

const isFlagHalf = (text: string, at: number): boolean => IS_FLAG_HALF.test(text.slice(at, at + 2));

/** Begin of the window in front of a cut: a code point, and none within a flag, which is two. */
function getWindow(text: string, start: number, end: number): number {
  let from = end - WINDOW;
  if (from <= start) return start;
  if (text.codePointAt(from - 1)! > 0xff_ff) from += 1;
  let halves = 0;
  for (let at = from - 2; at >= start && isFlagHalf(text, at); at -= 2) halves += 1;
  return halves % 2 ? from + 2 : from;
}

/** The last boundary of characters as people see them (graphemes) that is not behind `end`; else `end`. */
function getCharacterEnd(text: string, start: number, end: number): number {
  const from = getWindow(text, start, end);
  // The code point behind the cut tells whether a character goes on there.
  const found = CHARACTERS.segment(text.slice(from, end + 2)).containing(end - from)?.index ?? 0;
  return found > 0 ? from + found : end;
}

/**
 * Where a part ends and the next begins. A coarser break within the first half is passed over for a finer one
 * behind it, so that parts aren't many and short.
 */
function findCut(text: string, start: number, end: number): { end: number; next: number } {
  // A break directly behind the part counts too.
  const part = text.slice(start, end + 1);
  for (const [nth, pattern] of BREAKS.entries()) {
    const least = nth < BREAKS.length - 1 ? (end - start) / 2 : 1;
    const found = [...part.matchAll(pattern)].findLast(({ index }) => index >= least);
    if (found) return { end: start + found.index, next: start + found.index + found[0].length };
  }
  const behind = getCharacterEnd(text, start, end);
  return { end: behind, next: behind };
}

const skipBlanks = (text: string, from: number): number => text.length - text.slice(from).trimStart().length;

/**
 * Splits a text at paragraphs, else at lines, sentences or words, else anywhere between characters as people see
 * them (graphemes). Only a character that is longer than a part is cut, between code points.
 * @param max code points of each part
 * @param maxParts the rest of a text that would need more is one further part
 * @param unbroken in their order; one that is longer than a part is cut like any text
 * @returns at least one part; blanks where it is cut, and at its beginning, are left out
 */
export function splitText(
  text: string,
  max: number,
  maxParts: number,
  unbroken: readonly Unbroken[] = [],
): TextPart[] {
  const whole = unbroken.filter(({ size }) => size <= max);
  const getNext = (start: number): number => getEnd(text, start, max, whole);
  const parts: TextPart[] = [];
  let start = getNext(0) < text.length ? skipBlanks(text, 0) : 0;
  for (let end = getNext(start); end < text.length; end = getNext(start)) {
    if (parts.length === maxParts) break;
    const cut = findCut(text, start, end);
    parts.push({ start, end: cut.end });
    start = skipBlanks(text, cut.next);
  }
  const isBlank = text.slice(start).trim() === '';
  return isBlank && parts.length ? parts : [...parts, { start, end: text.length }];
}
