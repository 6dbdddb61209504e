/**
 * How long a password may be. Characters are counted as people see them typed: after NFKC, by code point. Blanks at the
 * beginning and the end do not count.
 */
export const MIN_PASSWORD = 8;
export const MAX_PASSWORD = 128;

export const isLongEnough = (password: string): boolean =>
  Array.from(password.normalize('NFKC').trim()).length >= MIN_PASSWORD;
