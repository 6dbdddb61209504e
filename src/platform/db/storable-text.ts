/** Text that PostgreSQL takes: it has neither NUL nor halves of characters. What has them gets U+FFFD for each. */
export const storableText = (text: string): string => text.replaceAll('\0', '\ufffd').toWellFormed();
