/** JSON that a user edits. */
import { parseJson } from '../../api/exact-json.ts';
import { t } from '../../copy/text.ts';

/** Key of the JSON that a user edits, in a list of samples. */
export const CUSTOM = 'custom';

export const formatJson = (value: unknown): string => JSON.stringify(value, null, 2) ?? '';

/**
 * Parses JSON that a user typed.
 * @returns its value, or why it is not valid JSON
 */
export function readJson(text: string): { value: unknown; error: null } | { value: null; error: string } {
  try {
    return { value: parseJson(text), error: null };
  } catch (error) {
    const message = error instanceof SyntaxError ? error.message : String(error);
    return { value: null, error: t('Invalid JSON: {message}', { message }) };
  }
}
