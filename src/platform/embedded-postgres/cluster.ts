/** The data folder of PostgreSQL as it is found: whether it can be served. Changes nothing but its permissions. */
import { chmodSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Binaries } from './binaries.ts';
import { cannotUse, getCode, EmbeddedDatabaseError } from './errors.ts';

function isEmptyOrMissing(folder: string): boolean {
  try {
    return readdirSync(folder).length === 0;
  } catch (error) {
    if (getCode(error) === 'ENOENT') return true;
    throw cannotUse('The database', folder, error);
  }
}

/**
 * Whether a cluster is there that this PostgreSQL can serve.
 * @throws EmbeddedDatabaseError when what is there was made by another major version, or is no cluster at all.
 */
export function checkCluster(data: string, { major }: Binaries): boolean {
  let found: string;
  try {
    found = readFileSync(join(data, 'PG_VERSION'), 'utf8').trim();
  } catch (error) {
    if (getCode(error) !== 'ENOENT') throw cannotUse('The database', data, error);
    if (isEmptyOrMissing(data)) return false;
    throw new EmbeddedDatabaseError(
      `${data} holds files, but no PostgreSQL database (PG_VERSION is missing). Nothing was changed; restore it from a backup or move it away.`,
    );
  }
  if (found === major) return true;
  throw new EmbeddedDatabaseError(
    `The database in ${data} was written by PostgreSQL ${found}, and this version of Fairlead includes ${major}. Nothing was changed. Create a backup with a version that includes ${found} (fairlead backup), and restore it into an empty DATA_DIR (fairlead restore).`,
  );
}

/** A copy that was made with wider permissions is narrowed to what PostgreSQL insists on. */
export function narrowPermissions(data: string): void {
  if ((statSync(data).mode & 0o777) !== 0o700) chmodSync(data, 0o700);
}
