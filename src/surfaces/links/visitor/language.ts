/** Determines the preferred language of a visitor. */

/** Characters of the header that are parsed. */
const MAX_LENGTH = 256;
const LETTER = /^[a-z]{2,3}$/;

/** Returns the primary subtag in lower case, without `;q=`; null if invalid. */
function parseSubtag(tag: string): string | null {
  const end = tag.search(/[-;\s]/);
  const subtag = (end < 0 ? tag : tag.slice(0, end)).toLowerCase();
  return LETTER.test(subtag) ? subtag : null;
}

function parseQuality(range: string): number {
  const found = /;\s*q=([\d.]{1,5})/i.exec(range);
  return found ? Number(found[1]) : 1;
}

/**
 * Returns the preferred language of an Accept-Language header.
 * @returns the primary subtag with the highest q, the first one of equals: `de` of `de-AT,de;q=0.9,en;q=0.8`
 */
export function parseLanguage(header: string | undefined): string | null {
  if (!header) return null;
  // Shortcut: nearly all browsers put the preferred language first, without q, which means the maximum.
  const comma = header.indexOf(',');
  const first = comma < 0 ? header : header.slice(0, comma);
  if (first.length <= 16 && !first.includes(';')) {
    const subtag = parseSubtag(first.trim());
    if (subtag !== null) return subtag;
  }
  let best: string | null = null;
  let bestQuality = 0;
  for (const range of header.slice(0, MAX_LENGTH).split(',')) {
    const subtag = parseSubtag(range.trim());
    const quality = subtag === null ? 0 : parseQuality(range);
    if (quality > bestQuality) [best, bestQuality] = [subtag, quality];
  }
  return best;
}
