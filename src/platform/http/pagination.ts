/**
 * Keyset pagination over UUIDv7 IDs (newest first): a page is stable while rows are inserted, and the tenth
 * million costs what the first costs.
 */
import { Problem } from './problem.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const DEFAULT_LIMIT = 25;

export interface Page {
  limit: number;
  /** Only rows beyond this key. */
  after: string | null;
}

export interface List<T> {
  object: 'list';
  data: T[];
  has_more: boolean;
  next_cursor: string | null;
}

const encode = (key: string): string => Buffer.from(`1:${key}`).toString('base64url');

/**
 * The page that a query asks for. `isKey` tells whether a decoded key can be one of this list (default: a uuid).
 * @throws Problem invalid_cursor
 */
export function getPage(
  query: { limit?: number; cursor?: string },
  isKey: (key: string) => boolean = (key) => UUID.test(key),
): Page {
  const limit = query.limit ?? DEFAULT_LIMIT;
  if (query.cursor === undefined) return { limit, after: null };
  const [version, key = ''] = Buffer.from(query.cursor, 'base64url').toString().split(':');
  if (version !== '1' || !isKey(key) || encode(key) !== query.cursor)
    throw new Problem('invalid_cursor', 'The cursor is invalid for this list.', {
      errors: [
        {
          pointer: '?cursor',
          code: 'invalid_cursor',
          detail: 'must be the next_cursor of the previous response',
        },
      ],
    });
  return { limit, after: key };
}

/**
 * A list answer from `limit + 1` rows: the one too many only tells that there are more.
 * @param lookedThrough where a filter that no index serves ends a page early: the key to go on behind, else null
 */
export function toList<Row, Item>(
  rows: Row[],
  page: Page,
  key: (row: Row) => string,
  present: (row: Row) => Item,
  lookedThrough: string | null = null,
): List<Item> {
  const isFull = rows.length > page.limit;
  const shown = isFull ? rows.slice(0, page.limit) : rows;
  const last = isFull ? key(shown.at(-1)!) : lookedThrough;
  return {
    object: 'list',
    data: shown.map(present),
    has_more: last !== null,
    next_cursor: last === null ? null : encode(last),
  };
}

/** A list that is always whole. */
export const toCompleteList = <T>(data: T[]): List<T> => ({
  object: 'list',
  data,
  has_more: false,
  next_cursor: null,
});
