/**
 * Serving processes name the keys that they seal and open under in the name of their database connections (ids, no
 * secrets), as `fairlead 1a2b3c4d 99887766`, the first being the one that they seal under. So a rotation sees whether
 * one would still seal under the secret that is about to go.
 */
import type { SecretBox } from '../../platform/crypto/secret-box.ts';
import type { Database } from '../../platform/db/database.ts';
import { servingConnections } from './reseal.system-store.ts';

/** For `openPool`. PostgreSQL keeps 63 characters of it. */
export const connectionName = ({ keyIds }: SecretBox): string => `fairlead ${keyIds.join(' ')}`;

const NAME = /^fairlead ([0-9a-f]{8}(?: [0-9a-f]{8})*)$/;

/** Addresses of processes whose keys are not as wanted; 'this machine' for those without one. */
async function getAddresses(db: Database, isWrong: (keyIds: string[]) => boolean): Promise<string[]> {
  const wrong = (await servingConnections(db)).filter(({ name }) => {
    const ids = NAME.exec(name)?.[1]?.split(' ');
    return ids !== undefined && isWrong(ids);
  });
  return [...new Set(wrong.map(({ address }) => address ?? 'this machine'))].sort();
}

/** From where processes come that seal under another secret than the box does. */
export const findOtherSealers = (db: Database, { keyIds: [own] }: SecretBox): Promise<string[]> =>
  getAddresses(db, ([first]) => first !== own);

/** From where processes come that can't open what the box seals. */
export const findServersWithoutKey = (db: Database, { keyIds: [own] }: SecretBox): Promise<string[]> =>
  getAddresses(db, (ids) => !ids.includes(own));

/** From where processes come that open what is sealed under a key. */
export const findServersWithKey = (db: Database, keyId: string): Promise<string[]> =>
  getAddresses(db, (ids) => ids.includes(keyId));
