import type { Fault } from '../api/problem.ts';

/** Returns the field that an error is about: the first part of its JSON pointer, or the query parameter. */
export const getField = (fault: Pick<Fault, 'pointer'>): string =>
  fault.pointer.replace(/^[/?]/, '').split('/')[0] ?? '';

/** Returns the JSON pointer of a part of a body (RFC 6901). */
export const getPointer = (...path: string[]): string =>
  path.map((part) => `/${part.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

/** Returns the words for a JSON pointer, for people: "Actions › 1 › URL" for `/actions/0/url`. */
export const getFieldName = (pointer: string): string =>
  sentence(
    pointer
      .replace(/^[/?]/, '')
      .split('/')
      .map((part) => (/^\d+$/.test(part) ? String(Number(part) + 1) : part.replaceAll('_', ' ')))
      .join(' › ')
      .replace(/\b(url|id)\b/g, (word) => word.toUpperCase()),
  )!;

/** Details of field errors start in lower case, because they may stand inside a sentence. */
export const sentence = (text: string | undefined): string | undefined =>
  text && text.charAt(0).toUpperCase() + text.slice(1);
