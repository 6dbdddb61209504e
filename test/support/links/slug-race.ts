/** Many who ask for one short address at once. */
import { toUuid } from '../../../src/core/vocabulary/ids.ts';
import type { TestApp } from '../test-app.ts';

export const AT_ONCE = 20;

export interface Race {
  /** How many were told 201, and how many 409 with another slug that is free. */
  made: number;
  refused: number;
  /** What should not be. */
  faults: string[];
}

/**
 * Twenty creates of one slug at once, over the processes and the workspaces in turn: one should be made, the others told
 * that it is taken, and the address should be that of the one.
 * @param apps on one database
 * @param keys of workspaces
 */
export async function raceForSlug(
  apps: readonly TestApp[],
  keys: readonly string[],
  slug: string,
): Promise<Race> {
  const answers = await Promise.all(
    Array.from({ length: AT_ONCE }, (_, nth) =>
      apps[nth % apps.length]!.call('/links', {
        key: keys[Math.floor(nth / apps.length) % keys.length]!,
        body: { url: `https://example.com/${nth}`, slug, tags: [`tag ${nth % 3}`] },
      }),
    ),
  );
  const made = answers.filter(({ status }) => status === 201);
  const refused = answers.filter(
    ({ status, body }) => status === 409 && body.code === 'slug_taken' && body.errors[0].pointer === '/slug',
  );
  const faults = answers
    .filter((answer) => !made.includes(answer) && !refused.includes(answer))
    .map(({ status, body }) => `${slug}: ${status} ${JSON.stringify(body)}`);
  if (made.length !== 1) faults.push(`${slug}: ${made.length} were told that it is theirs`);
  const { rows } = await apps[0]!.database.pool.query<{ links: string[]; routes: string[] }>(
    `select array(select id from links where slug = $1) as links,
       array(select link_id from link_routes where slug = $1) as routes`,
    [slug],
  );
  const stored = JSON.stringify(rows[0]);
  const ids = made.map(({ body }) => toUuid('link', body.id));
  if (stored !== JSON.stringify({ links: ids, routes: ids })) faults.push(`${slug}: stored is ${stored}`);
  return { made: made.length, refused: refused.length, faults };
}
