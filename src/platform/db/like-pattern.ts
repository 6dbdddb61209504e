/** Returns the pattern for `like` and `ilike` that matches texts which contain `text`. */
export const likePattern = (text: string): string => `%${text.replaceAll(/[\\%_]/g, (mark) => `\\${mark}`)}%`;
