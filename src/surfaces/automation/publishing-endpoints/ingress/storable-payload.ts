/** Replaces what PostgreSQL cannot store in the texts of a payload, so that an event is not lost because of it. */
import { storableText } from '../../../../platform/db/storable-text.ts';
import { ExactNumber } from '../../../../platform/json/exact-number.ts';

const UNSTORABLE = /\0|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

export interface StorablePayload {
  payload: unknown;
  /** Number of replaced characters. */
  replaced: number;
}

/**
 * Replaces NUL characters and unpaired surrogates in texts and names by U+FFFD. Numbers keep their digits.
 * @param payload any JSON value; its depth must be bounded
 */
export function makeStorable(payload: unknown): StorablePayload {
  let replaced = 0;
  const toText = (text: string): string => {
    const count = text.match(UNSTORABLE)?.length ?? 0;
    replaced += count;
    return count === 0 ? text : storableText(text);
  };
  const toValue = (value: unknown): unknown => {
    if (typeof value === 'string') return toText(value);
    if (Array.isArray(value)) return value.map(toValue);
    if (value === null || typeof value !== 'object' || value instanceof ExactNumber) return value;
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [toText(name), toValue(item)]));
  };
  return { payload: toValue(payload), replaced };
}
