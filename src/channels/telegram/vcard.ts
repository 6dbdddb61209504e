/** Reads the fields of a shared contact's vCard that the contact itself lacks. */

export interface Vcard {
  phones: string[];
  emails: string[];
  organization: string | null;
}

const MAX_LINES = 200;
const MAX_VALUES = 20;
const MAX_VALUE = 255;

/** A property: an optional group and dot, its name, parameters, and after the colon its value. */
const LINE = /^(?:[\w-]+\.)?(tel|email|org)(?:;[^:]*)?:(.*)$/i;
const ESCAPED = /\\([\\,;nN])/g;

const unescape = (value: string): string =>
  value.replaceAll(ESCAPED, (_, one: string) => (one.toLowerCase() === 'n' ? ' ' : one));

export function readVcard(card: string): Vcard {
  const found: Record<string, string[]> = { tel: [], email: [], org: [] };
  // A line that begins with a space continues the one before.
  for (const line of card.replaceAll(/\r?\n[ \t]/g, '').split(/\r?\n/, MAX_LINES)) {
    const [, name, given] = LINE.exec(line) ?? [];
    if (name === undefined) continue;
    // A number may be a URI. After the name of an organization come its units.
    const value = name.toLowerCase() === 'org' ? /^(?:\\.|[^;\\])*/.exec(given!)![0] : given!;
    const plain = unescape(value).replace(/^tel:/i, '').trim().slice(0, MAX_VALUE);
    const values = found[name.toLowerCase()]!;
    if (plain !== '' && !values.includes(plain) && values.length < MAX_VALUES) values.push(plain);
  }
  return { phones: found['tel']!, emails: found['email']!, organization: found['org']![0] ?? null };
}
