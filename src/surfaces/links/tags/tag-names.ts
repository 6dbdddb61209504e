/** Resolves tags by name: missing tags are created; names are case-insensitive, and the first spelling is kept. */
import { timeOfUuid } from '../../../platform/db/uuid-time.ts';
import { hash } from 'node:crypto';
import type { Unit } from '../../../core/unit/unit-of-work.ts';
import { TAG_COLORS, type TagColor } from './tag-colors.ts';
import { insertTags, type NamedTag, findTagsByName } from './tag.store.ts';

/** Normalizes a tag name: NFC, trimmed, with single spaces. */
export const normalizeTagName = (name: string): string =>
  name.normalize('NFC').trim().replaceAll(/\s+/gu, ' ');

/** Returns the default color of a tag, derived from its name. */
export const colorFor = (name: string): TagColor =>
  TAG_COLORS[Number.parseInt(hash('sha256', name.toLowerCase()).slice(0, 8), 16) % TAG_COLORS.length]!;

/**
 * Finds tags by name and creates missing ones. Tags are inserted in sorted order to avoid deadlocks with a transaction
 * that creates the same tags.
 * @param names as sent by callers
 * @param actorId public ID of the creator of missing tags; null for the server itself
 * @returns requested name → tag; names that differ only in case share a tag
 */
export async function resolveTags(
  unit: Unit,
  workspaceId: string,
  names: readonly string[],
  actorId: string | null,
): Promise<ReadonlyMap<string, NamedTag>> {
  if (names.length === 0) return new Map();
  const normalized = new Map(names.map((name) => [name, normalizeTagName(name)]));
  const uniqueNames = [...new Set(normalized.values())];
  let found = await findTagsByName(unit.db, workspaceId, uniqueNames);
  // Retried if a tag is deleted between the statements.
  for (let tries = 0; found.size < uniqueNames.length; tries += 1) {
    if (tries === 5) throw new Error('tags are deleted concurrently');
    const missing = uniqueNames.filter((name) => !found.has(name));
    await insertTags(
      unit.db,
      workspaceId,
      missing.map((name) => {
        const id = unit.newUuid();
        return {
          id,
          name,
          color: colorFor(name),
          metadata: {},
          created_by: actorId,
          created_at: timeOfUuid(id),
        };
      }),
    );
    found = await findTagsByName(unit.db, workspaceId, uniqueNames);
  }
  return new Map([...normalized].map(([input, name]) => [input, found.get(name)!]));
}
