/**
 * Serving processes put the IDs of the keys that they seal and open with (not the secrets) into the names of their
 * database connections, for example `fairlead 1a2b3c4d 99887766`. The first is the one that they seal with. A rotation
 * can thus see whether a process would still seal with the secret to be removed.
 */
import type { SecretBox } from '../../platform/crypto/secret-box.ts';
import type { Database } from '../../platform/db/database.ts';
import { servingConnections } from './reseal.system-store.ts';

/** Returns the connection name for `openPool`. PostgreSQL keeps 63 characters of it. */
export const connectionName = ({ keyIds }: SecretBox): string => `fairlead ${keyIds.join(' ')}`;

const NAME = /^fairlead ([0-9a-f]{8}(?: [0-9a-f]{8})*)$/;

/** Returns the addresses of processes with wrong keys; 'this machine' if there is no address. */
async function getAddresses(db: Database, isWrong: (keyIds: string[]) => boolean): Promise<string[]> {
  const wrong = (await servingConnections(db)).filter(({ name }) => {
    const ids = NAME.exec(name)?.[1]?.split(' ');
    return ids !== undefined && isWrong(ids);
  });
  return [...new Set(wrong.map(({ address }) => address ?? 'this machine'))].sort();
}

/** Returns the addresses of processes that seal with a different secret than the box. */
export const findOtherSealers = (db: Database, { keyIds: [own] }: SecretBox): Promise<string[]> =>
  getAddresses(db, ([first]) => first !== own);

/** Returns the addresses of processes that can't open what the box seals. */
export const findServersWithoutKey = (db: Database, { keyIds: [own] }: SecretBox): Promise<string[]> =>
  getAddresses(db, (ids) => !ids.includes(own));

/** Returns the addresses of processes that can open values sealed with a key. */
export const findServersWithKey = (db: Database, keyId: string): Promise<string[]> =>
  getAddresses(db, (ids) => ids.includes(keyId));
