/** Makes text storable in PostgreSQL: replaces NUL and lone surrogates with U+FFFD. */
export const storableText = (text: string): string => text.replaceAll('\0', '\ufffd').toWellFormed();

/** How JSON writes surrogate pairs, NUL and lone surrogates; then everything else that is escaped, so that no backslash is split. */
const ESCAPED = /\\(?:ud[89ab][\da-f]{2}\\ud[c-f][\da-f]{2}|u0000|ud[89a-f][\da-f]{2}|.)/gi;
const UNSTORABLE_LENGTH = '\\u0000'.length;

/** Makes the texts and names in a JSON document storable, like `storableText`. */
export const storableJson = (json: string): string =>
  json.replaceAll(ESCAPED, (found) => (found.length === UNSTORABLE_LENGTH ? '\\ufffd' : found));
