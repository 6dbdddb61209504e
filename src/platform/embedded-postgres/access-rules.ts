/**
 * Access rules of the embedded PostgreSQL. Its socket is in a directory of mode 0700; it listens on no network.
 *
 * Under our own account `trust` suffices: anyone who passes that directory is this account or root, and could read the
 * data files as well. Under `nobody`, which other programs share, the kernel reports the peer's account (`peer`), and
 * only ours is accepted. `peer` isn't used in the first case because it looks up the account's name on each connection:
 * a user ID without a name, or a directory service that is down, would lock us out.
 */
import { chmodSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ownName } from './account.ts';
import { ROLE, SUPERUSER } from './new-cluster.ts';
import { getCode, EmbeddedDatabaseError } from './errors.ts';
import type { DataDirectory } from './data-directory.ts';

export interface AccessRules {
  rules: string;
  names: string;
}

function write(path: string, text: string): void {
  try {
    if (readFileSync(path, 'utf8') === text) return;
  } catch (error) {
    if (getCode(error) !== 'ENOENT') throw error;
  }
  writeFileSync(`${path}.new`, text);
  chmodSync(`${path}.new`, 0o644); // independent of our umask: PostgreSQL's account must read it
  renameSync(`${path}.new`, path);
}

/** Writes the two files, pg_hba.conf and pg_ident.conf, beside the data. */
export function writeAccessRules({ folder, account }: DataDirectory): AccessRules {
  const paths = { rules: join(folder, 'pg_hba.conf'), names: join(folder, 'pg_ident.conf') };
  const head = '# Written by Fairlead at each start.\n';
  if (!account.switched) {
    write(paths.rules, `${head}local all all trust\n`);
    write(paths.names, head);
    return paths;
  }
  const own = ownName();
  if (own === null)
    throw new EmbeddedDatabaseError(
      'The user id 0 has no entry in /etc/passwd, by which PostgreSQL would know us. Add one, or set DATABASE_URL.',
    );
  const name = `"${own.replaceAll('"', '""')}"`;
  write(paths.rules, `${head}local all all peer map=server\n`);
  write(paths.names, `${head}server ${name} ${ROLE}\nserver ${name} ${SUPERUSER}\n`);
  return paths;
}
