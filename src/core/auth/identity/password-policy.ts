/**
 * How long a password may be, and that it isn't the person's own. Characters are counted as people see them typed: after NFKC, by code point. Blanks at the
 * beginning and the end do not count.
 */
export const MIN_PASSWORD = 8;
export const MAX_PASSWORD = 128;

export const isLongEnough = (password: string): boolean =>
  Array.from(password.normalize('NFKC').trim()).length >= MIN_PASSWORD;

export interface Person {
  name: string;
  email: string;
}

/** Compares without case and blanks. */
const comparable = (text: string): string => text.normalize('NFKC').toLowerCase().replace(/\s/gu, '');

/** Returns whether a password is a person's name, email address, or the part of the address before the @. */
export function isPersonal(password: string, { name, email }: Partial<Person>): boolean {
  const text = comparable(password);
  return [name, email, email?.split('@')[0]].some((one) => one !== undefined && comparable(one) === text);
}
