/** Public IDs of the nouns in `nouns.ts`. */
import { toTypeId, typeIdToUuid } from '../../platform/http/ids.ts';
import { notFound } from '../../platform/http/problem.ts';
import { ID_PREFIXES, type IdKind } from './nouns.ts';

/** The public form of a database ID. */
export const publicId = (kind: IdKind, uuid: string): string => toTypeId(ID_PREFIXES[kind], uuid);

/** The database ID of a public one, or null when it is not an ID of that kind. */
export const toUuid = (kind: IdKind, id: string): string | null => typeIdToUuid(ID_PREFIXES[kind], id);

const KINDS = new Map<string, IdKind>(
  Object.entries(ID_PREFIXES).map(([kind, prefix]) => [prefix, kind as IdKind]),
);

/** Returns the kind of a public ID, or null for any other text. */
export function getIdKind(text: string): IdKind | null {
  const kind = KINDS.get(text.slice(0, text.lastIndexOf('_')));
  return kind !== undefined && toUuid(kind, text) !== null ? kind : null;
}

/**
 * Converts a public ID in a path to a database ID.
 * @throws Problem not_found, also for an ID that cannot exist
 */
export function requireUuid(kind: IdKind, id: string): string {
  const uuid = toUuid(kind, id);
  if (uuid === null) throw notFound(kind.replaceAll('_', ' '));
  return uuid;
}
