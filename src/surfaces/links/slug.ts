/** Slugs: what stands behind the host of a short address. Case counts. */
import { randomInt } from 'node:crypto';

const SLUG = /^[\p{L}\p{M}\p{N}_-]{1,100}$/u;
/** Without 0 O 1 I l, which look alike. */
const ALPHABET = '23456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const MADE_LENGTH = 7;
const LONGEST = 100;

/** In NFC; null where it can be none. */
export function readSlug(given: string): string | null {
  const slug = given.normalize('NFC');
  return SLUG.test(slug) ? slug : null;
}

const random = (length: number): string => {
  let text = '';
  for (let nth = 0; nth < length; nth++) text += ALPHABET[randomInt(ALPHABET.length)];
  return text;
};

export const makeSlug = (): string => random(MADE_LENGTH);

const shortened = (slug: string, max: number): string => Array.from(slug).slice(0, max).join('');

/** What may be free where `slug` is taken, the nearest first. */
export function similarSlugs(slug: string): string[] {
  const endings = ['2', '3', '4', '5', random(4), random(4)].map((end) => `-${end}`);
  return endings.map((end) => shortened(slug, LONGEST - end.length) + end);
}
