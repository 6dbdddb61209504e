/** How long a password may be. Characters are counted as people see them typed: after NFKC, by code point. */
export const SHORTEST_PASSWORD = 8;
export const LONGEST_PASSWORD = 128;

export const isLongEnough = (password: string): boolean =>
  Array.from(password.normalize('NFKC')).length >= SHORTEST_PASSWORD;
