/**
 * Encoded forms of an address inside other texts: in URLs and forms (`%40`, also doubly encoded), in HTML (`&#64;`), in
 * JSON (`\u0040`). Pure. Some programs escape one kind of character but not another (the `@` but not the `+`), so each
 * combination is covered. Compressed, encrypted or base64 data cannot be searched.
 */

/** Characters that common programs never escape. */
const PLAIN = /^[A-Za-z0-9._~-]$/;
/** Of more kinds each alone and all together are looked for. */
const MAX_KINDS = 4;

const ENTITIES = new Map([
  ['&', 'amp'],
  ["'", 'apos'],
  [':', 'colon'],
  ['@', 'commat'],
  ['>', 'gt'],
  ['<', 'lt'],
  ['+', 'plus'],
  ['"', 'quot'],
  ['/', 'sol'],
]);

const toHex = (number: number, digits: number): string => number.toString(16).padStart(digits, '0');
const percented = (char: string): string =>
  [...Buffer.from(char)].map((byte) => `%${toHex(byte, 2)}`).join('');
const escapedUnits = (char: string): string =>
  char.replaceAll(/[^]/g, (unit) => String.raw`\u${toHex(unit.charCodeAt(0), 4)}`);

/** Hexadecimal digits can be uppercase or lowercase; the prefix before them can't. */
const large = (text: string): string =>
  text.replaceAll(
    /(%(?:25)?|\\u|&#x)([0-9a-f]+)/g,
    (_all, sign: string, digits: string) => sign + digits.toUpperCase(),
  );

type Escape = (char: string) => string;

const SMALL: readonly Escape[] = [
  percented,
  (char) => percented(char).replaceAll('%', '%25'),
  (char) => `&#x${toHex(char.codePointAt(0)!, 0)};`,
  escapedUnits,
  // JSON inside a text of JSON.
  (char) => escapedUnits(char).replaceAll('\\', String.raw`\\`),
];
const ESCAPES: readonly Escape[] = [
  ...SMALL,
  ...SMALL.map(
    (escape): Escape =>
      (char) =>
        large(escape(char)),
  ),
  (char) => `&#${char.codePointAt(0)};`,
];
/** Of single characters alone. */
const NAMED: readonly Escape[] = [
  (char) => (ENTITIES.has(char) ? `&${ENTITIES.get(char)};` : char),
  (char) => (char === '/' ? String.raw`\/` : char),
  (char) => (char === '/' ? String.raw`\\/` : char),
];

/** Every choice of some of them; of many, each alone and all. */
function getChoices<T>(kinds: readonly T[]): T[][] {
  if (kinds.length > MAX_KINDS) return [...kinds.map((kind) => [kind]), [...kinds]];
  let choices: T[][] = [[]];
  for (const kind of kinds) choices = choices.flatMap((choice) => [choice, [...choice, kind]]);
  return choices.slice(1);
}

/** Returns a text in all common encodings, starting with the text itself, without duplicates. */
export function getEncodedVariants(text: string): string[] {
  const chars = Array.from(text);
  const special = [...new Set(chars.filter((char) => !PLAIN.test(char)))];
  const ascii = special.filter((char) => char < '\u0080');
  const others = special.filter((char) => char >= '\u0080');
  // Letters beyond ASCII are escaped all or none.
  const kinds = [...ascii.map((char) => [char]), ...(others.length ? [others] : [])];
  const written = (escape: Escape, which: ReadonlySet<string>): string =>
    chars.map((char) => (which.has(char) ? escape(char) : char)).join('');
  const parts = getChoices(kinds).map((choice) => new Set(choice.flat()));
  return [
    ...new Set([
      text,
      ...parts.flatMap((which) => [...ESCAPES, ...NAMED].map((escape) => written(escape, which))),
      ...ESCAPES.map((escape) => written(escape, new Set(chars))),
    ]),
  ];
}
