/** Tags by their names: what a link names is made where it is missing; case does not matter, and the first spelling stays. */
import { timeOfUuid } from '../../../platform/db/uuid-time.ts';
import { hash } from 'node:crypto';
import type { Unit } from '../../../core/unit-of-work.ts';
import { TAG_COLORS, type TagColor } from './tag-colors.ts';
import { insertTags, type NamedTag, findTagsByName } from './tag.store.ts';

/** What a name is kept as: NFC, without space around it, and one space within. */
export const tidyTagName = (name: string): string => name.normalize('NFC').trim().replaceAll(/\s+/gu, ' ');

/** A colour for a tag that was given none: the same for the same name. */
export const colorFor = (name: string): TagColor =>
  TAG_COLORS[Number.parseInt(hash('sha256', name.toLowerCase()).slice(0, 8), 16) % TAG_COLORS.length]!;

/**
 * The tags of these names; what is missing is made, in sorted order, so that two who make the same ones at once wait
 * for each other instead of both for ever.
 * @param names as callers gave them
 * @param actorId the public id of who makes what is missing; null for the server itself
 * @returns given name → tag; of names that differ in case alone, the same tag
 */
export async function resolveTags(
  unit: Unit,
  workspaceId: string,
  names: readonly string[],
  actorId: string | null,
): Promise<ReadonlyMap<string, NamedTag>> {
  if (names.length === 0) return new Map();
  const tidied = new Map(names.map((name) => [name, tidyTagName(name)]));
  const wanted = [...new Set(tidied.values())];
  let found = await findTagsByName(unit.db, workspaceId, wanted);
  // Again where somebody deleted one between two statements.
  for (let tries = 0; found.size < wanted.length; tries += 1) {
    if (tries === 5) throw new Error('tags go as fast as they are made');
    const missing = wanted.filter((name) => !found.has(name));
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
    found = await findTagsByName(unit.db, workspaceId, wanted);
  }
  return new Map([...tidied].map(([given, name]) => [given, found.get(name)!]));
}
