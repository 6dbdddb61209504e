/** Makes text storable in PostgreSQL: replaces NUL and lone surrogates by U+FFFD. */
export const storableText = (text: string): string => text.replaceAll('\0', '\ufffd').toWellFormed();
