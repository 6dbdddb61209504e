/**
 * Parses JSON of others without changing its numbers. Those that a double prints back as they were written are plain
 * numbers; others are an `ExactNumber`, which `JSON.stringify` writes back. Nothing else differs from `JSON.parse`.
 */
import { countDigits, ExactNumber } from './exact-number.ts';

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

type Revive = (name: string, value: unknown, context: { source?: string }) => unknown;
const parseWithSource = JSON.parse as (text: string, revive: Revive) => unknown;

/**
 * Parses JSON whose bounds are checked (foreign-json.ts); equal sources within a text become one object, so that LiquidJS finds them by identity.
 * @param maxTogether digits of all numbers with an exponent; Infinity for what Fairlead wrote
 * @throws SyntaxError; NumberTooLong for more than MAX_DIGITS digits
 */
export function parseLossless(text: string, maxTogether = MAX_DIGITS_TOGETHER): unknown {
  if (!hasSuspectNumber(text)) return JSON.parse(text);
  const known = new Map<string, ExactNumber>();
  let together = 0;
  return parseWithSource(text, (_name, value, { source }) => {
    if (typeof value !== 'number' || source === undefined) return value;
    if (source.length > MAX_DIGITS || /e/i.test(source)) {
      const digits = countDigits(source);
      if (digits > MAX_DIGITS) throw new NumberTooLong(`A number has more than ${MAX_DIGITS} digits.`);
      together += digits;
      if (together > maxTogether)
        throw new NumberTooLong('The numbers with exponents have too many digits together.');
    }
    if (String(value) === source) return value;
    let exact = known.get(source);
    if (!exact) known.set(source, (exact = new ExactNumber(source)));
    return exact;
  });
}
