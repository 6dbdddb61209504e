/**
 * Parses JSON of others without changing its numbers. Those that a double prints back as they were written are plain
 * numbers; others are an `ExactNumber`, which `JSON.stringify` writes back. Nothing else differs from `JSON.parse`.
 */
import { randomUUID } from 'node:crypto';
import { countDigits, ExactNumber } from './exact-number.ts';
import { findEndOfString } from './json-strings.ts';

/** Of one number, written without an exponent: more than any identifier or amount has. */
const MAX_DIGITS = 1_000;
/** Of all numbers with an exponent together: PostgreSQL writes them out, so that six characters become a thousand. */
const MAX_DIGITS_TOGETHER = 1024 * 1024;

/**
 * What begins a number that a double may change: 16 characters, an exponent, a fraction that ends in 0 or begins with
 * zeros, or -0. In most texts there is none, and a parse without reviver takes a fraction of the time. It may match
 * within a string too, which costs time and nothing else; it does not within a time such as `09:30:00.000Z`.
 */
const SUSPECT =
  /(?:^|[\s,:[])(?:-0(?![\d.])|-?(?:\d[\d.]{15}|\d+(?:\.\d*)?[eE]|\d+\.\d*0(?=[\s,\]}]|$)|0\.0{6}))/;

/** Returns whether a text may have a number that a double changes. */
export const hasSuspectNumber = (text: string): boolean => SUSPECT.test(text);

/** A number has too many digits. */
export class NumberTooLong extends SyntaxError {}

const QUOTE = 34;
const COLON = 58;
const isDigit = (code: number): boolean => code >= 48 && code <= 57;
const isNumeric = (code: number | undefined): boolean =>
  code !== undefined &&
  (isDigit(code) || code === 45 || code === 46 || code === 43 || code === 101 || code === 69);
const isSpace = (code: number | undefined): boolean =>
  code === 32 || code === 10 || code === 13 || code === 9;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Begins the strings that stand for exact numbers while a text is parsed. Nobody else can know it. */
const MARK = `~${randomUUID()}~`;

/** Returns whether a double prints back what was written. @throws NumberTooLong */
function createNumberCheck(maxTogether: number): (source: string) => boolean {
  let together = 0;
  return (source) => {
    if (source.length > MAX_DIGITS || /e/i.test(source)) {
      const digits = countDigits(source);
      if (digits > MAX_DIGITS) throw new NumberTooLong(`A number has more than ${MAX_DIGITS} digits.`);
      together += digits;
      if (together > maxTogether)
        throw new NumberTooLong('The numbers with exponents have too many digits together.');
    }
    return String(Number(source)) === source;
  };
}

/**
 * Replaces the numbers that a double changes by marked strings: a reviver would be called for every value, which takes
 * ten times as long as the parse.
 * @returns the sources of the numbers, by the index in their marks
 */
function markNumbers(bytes: Buffer, maxTogether: number): { text: string; sources: string[] } {
  const isPlain = createNumberCheck(maxTogether);
  const indexes = new Map<string, number>();
  const sources: string[] = [];
  const pieces: string[] = [];
  let from = 0;
  for (let at = 0; at < bytes.length; at++) {
    if (bytes[at] === QUOTE) at = findEndOfString(bytes, at + 1);
    if (!isNumeric(bytes[at])) continue;
    const start = at;
    let isInteger = true;
    for (; isNumeric(bytes[at]); at++) isInteger &&= isDigit(bytes[at]!);
    // Most numbers are short integers, which need no closer look.
    if (isInteger && at - start < 16) {
      at--;
      continue;
    }
    let next = at;
    while (isSpace(bytes[next])) next++;
    const source = bytes.toString('latin1', start, at);
    at--;
    // Anything that is not a number where one may be, the parse refuses.
    if (bytes[next] === COLON || !NUMBER.test(source) || isPlain(source)) continue;
    let index = indexes.get(source);
    if (index === undefined) {
      indexes.set(source, (index = sources.length));
      sources.push(source);
    }
    pieces.push(bytes.toString('utf8', from, start), `"${MARK}${index}"`);
    from = at + 1;
  }
  pieces.push(bytes.toString('utf8', from));
  return { text: pieces.join(''), sources };
}

/** Puts exact numbers in the places of their marks, in place; without recursion, as values may be deep. */
function restoreNumbers(root: unknown, sources: readonly string[]): unknown {
  const numbers = sources.map((source) => new ExactNumber(source));
  const restore = (value: unknown): unknown =>
    typeof value === 'string' && value.startsWith(MARK) ? numbers[Number(value.slice(MARK.length))] : value;
  const left: unknown[] = [root];
  while (left.length > 0) {
    const holder = left.pop() as Record<string, unknown>;
    if (typeof holder !== 'object' || holder === null) continue;
    if (Array.isArray(holder)) {
      for (let at = 0; at < holder.length; at++) {
        const value: unknown = holder[at];
        if (typeof value === 'object') left.push(value);
        else if (typeof value === 'string') holder[at] = restore(value);
      }
    } else
      for (const name in holder) {
        const value = holder[name];
        if (typeof value === 'object') left.push(value);
        else if (typeof value === 'string') holder[name] = restore(value);
      }
  }
  return restore(root);
}

/**
 * Parses JSON whose bounds are checked (foreign-json.ts); equal sources within a text become one object, so that LiquidJS
 * finds them by identity.
 * @param maxTogether digits of all numbers with an exponent; Infinity for what Fairlead wrote
 * @throws SyntaxError; NumberTooLong for more than MAX_DIGITS digits
 */
export function parseLossless(text: string, maxTogether = MAX_DIGITS_TOGETHER): unknown {
  if (!hasSuspectNumber(text)) return JSON.parse(text);
  const marked = markNumbers(Buffer.from(text), maxTogether);
  if (marked.sources.length === 0) return JSON.parse(text);
  let value: unknown;
  try {
    value = JSON.parse(marked.text);
  } catch {
    // Throws too, about the text that was given.
    return JSON.parse(text);
  }
  return restoreNumbers(value, marked.sources);
}
