/** Descriptions of the schemas' patterns for errors, because few people read regular expressions. */
const words = new Map<string, string>();

/**
 * Returns the pattern, for a schema.
 * @param meaning continues a sentence that begins with the name of the field
 */
export function inWords(pattern: string, meaning: string): string {
  words.set(pattern, meaning);
  return pattern;
}

export const getMeaning = (pattern: string): string | undefined => words.get(pattern);
