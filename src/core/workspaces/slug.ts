/** Slugs of workspaces: lower-case ASCII words joined by single hyphens, so that they read well in an address. */
import { randomInt } from 'node:crypto';
import { inWords } from '../../platform/http/pattern-words.ts';

export const SLUG_PATTERN = inWords(
  '^[a-z0-9]+(?:-[a-z0-9]+)*$',
  'can only contain lowercase letters and digits, joined by single hyphens',
);
export const SLUG_MAX = 48;

const MADE_MAX = 40;
const NUMBERED = [2, 3, 4, 5, 6, 7, 8, 9];

/** A slug from a name: `Café Zürich` → `cafe-zurich`; `workspace` where no Latin letter or digit is left. */
export function getSlug(name: string): string {
  const words = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, MADE_MAX)
    .replace(/^-+|-+$/g, '');
  return words || 'workspace';
}

/** Returns alternatives if `slug` is taken, nicest first; the last one is random, so practically always free. */
export function alternativesTo(slug: string): string[] {
  const stem = slug.slice(0, MADE_MAX).replace(/-+$/, '');
  const random = randomInt(36 ** 5)
    .toString(36)
    .padStart(5, '0');
  return [...NUMBERED.map((number) => `${stem}-${number}`), `${stem}-${random}`];
}
