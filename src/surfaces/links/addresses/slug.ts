/** Validates and generates slugs, the path of a short URL. Slugs are case-sensitive. */
import { randomInt } from 'node:crypto';

const SLUG = /^[\p{L}\p{M}\p{N}_-]{1,100}$/u;
/** Without the look-alikes 0 O 1 I l. */
const ALPHABET = '23456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const GENERATED_LENGTH = 7;
const MAX_LENGTH = 100;

/** Normalizes a slug to NFC; null if it is invalid. */
export function readSlug(input: string): string | null {
  const slug = input.normalize('NFC');
  return SLUG.test(slug) ? slug : null;
}

const random = (length: number): string => {
  let text = '';
  for (let nth = 0; nth < length; nth++) text += ALPHABET[randomInt(ALPHABET.length)];
  return text;
};

export const generateSlug = (): string => random(GENERATED_LENGTH);

const shortened = (slug: string, max: number): string => Array.from(slug).slice(0, max).join('');

/** Suggests alternatives to a taken slug, closest first. */
export function similarSlugs(slug: string): string[] {
  const endings = ['2', '3', '4', '5', random(4), random(4)].map((end) => `-${end}`);
  return endings.map((end) => shortened(slug, MAX_LENGTH - end.length) + end);
}
