/**
 * Chooses the slug of a workspace. A unique constraint decides; the lookups before it only improve the error message.
 */
import type { Unit } from '../unit/unit-of-work.ts';
import { Problem } from '../../platform/http/problem.ts';
import { alternativesTo, getSlug } from './slug.ts';
import type { CreateWorkspaceBody } from './workspace.schema.ts';
import * as store from './workspace.store.ts';
import { freeSlugs } from './workspace.system-store.ts';

const TRIES = 5;

async function freeAlternative(unit: Unit, slug: string): Promise<string> {
  const candidates = alternativesTo(slug);
  const free = await freeSlugs(unit.db, candidates);
  return free[0] ?? candidates.at(-1)!;
}

/** @param suggestion alternative to offer; a random suffix if none was looked up */
export const slugTaken = (slug: string, suggestion = alternativesTo(slug).at(-1)!): Problem =>
  new Problem('slug_taken', `"${slug}" is taken; "${suggestion}" is free.`, {
    errors: [{ pointer: '/slug', code: 'slug_taken', detail: `try ${suggestion}` }],
  });

/**
 * The new row. @throws Problem slug_taken where the caller chose the slug; one made from the name gets a number.
 */
export async function insertWithSlug(
  unit: Unit,
  workspaceId: string,
  { name, slug: chosen, metadata = {} }: CreateWorkspaceBody,
): Promise<store.WorkspaceRow> {
  const made = getSlug(name);
  let slug = chosen ?? made;
  for (let tries = 0; tries < TRIES; tries++) {
    const fields = { name: name.trim(), slug, metadata, created_at: unit.clock() };
    const row = await store.insertWorkspace(unit.db, workspaceId, fields);
    if (row) return row;
    if (chosen !== undefined) throw slugTaken(chosen, await freeAlternative(unit, chosen));
    // After losing the race for a numbered slug too, a random suffix is used, which no one else has.
    slug = tries === 0 ? await freeAlternative(unit, made) : alternativesTo(made).at(-1)!;
  }
  throw new Problem('conflict', 'Similar slugs are being claimed right now. Try again.');
}

/** @throws Problem slug_taken, with one that is free. */
export async function assertSlugFree(unit: Unit, slug: string): Promise<void> {
  const [free] = await freeSlugs(unit.db, [slug]);
  if (free === undefined) throw slugTaken(slug, await freeAlternative(unit, slug));
}
