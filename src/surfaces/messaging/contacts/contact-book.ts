/**
 * Contacts as sending and hearing know them: by address. Whoever calls anything here holds the lock of the instance's
 * row in `instance_queues`, taken by an earlier statement; so nobody else adds addresses on it until the commit.
 */
import { isDeepStrictEqual } from 'node:util';
import { storableText } from '../../../platform/db/storable-text.ts';
import type { Unit } from '../../../core/unit/unit-of-work.ts';
import { changeContacts, createContacts } from './contact-change.ts';
import * as store from './contact.store.ts';

export interface AddressToBook {
  /** Normalized. */
  address: string;
  /** What the channel calls the person; for one that is made. */
  profileName?: string | null;
  username?: string | null;
  /** Other names of the address, which nobody has; for one that is made. */
  aliases?: readonly string[];
  /** Public ID of the key or person that makes it, null for the channel. */
  createdBy: string | null;
}

const MAX_PROFILE_NAME = 200;

/** A name as a channel may tell it, fit to be stored and shown; null for none. */
function getProfileName(name: string | null | undefined): string | null {
  const start = Array.from((name ?? '').slice(0, 2 * MAX_PROFILE_NAME)).slice(0, MAX_PROFILE_NAME);
  return storableText(start.join('')).trim() || null;
}

/**
 * Finds or makes the contacts of addresses on an instance. One that is made has its event, and counts for no quota: what
 * comes in is never refused for it.
 * @param wanted each address once
 * @returns address → ID of the contact, for all of them
 */
export async function ensureContacts(
  unit: Unit,
  workspaceId: string,
  instanceId: string,
  wanted: readonly AddressToBook[],
): Promise<Map<string, string>> {
  const identity = (address: string): store.IdentityRow => ({ instance_id: instanceId, address });
  const owners = await store.getOwners(
    unit.db,
    workspaceId,
    wanted.map(({ address }) => identity(address)),
  );
  const booked = new Map<string, string>();
  const made: store.NewContact[] = [];
  for (const { address, profileName, username, aliases = [], createdBy } of wanted) {
    const owner = owners.get(store.keyOfIdentity(identity(address)));
    const id = owner ?? unit.newUuid();
    booked.set(address, id);
    if (owner === undefined)
      made.push({
        id,
        name: null,
        profile_name: getProfileName(profileName),
        username: getProfileName(username),
        avatar_url: null,
        metadata: {},
        created_by: createdBy,
        identities: [
          identity(address),
          ...aliases.map((alias) => ({ ...identity(alias), alias_of: address })),
        ],
      });
  }
  await createContacts(unit, workspaceId, made);
  return booked;
}

/** What the channel calls somebody; what it does not tell is left out. */
export interface Profile {
  name?: string | null;
  username?: string | null;
}

const toColumns = ({ name, username }: Profile): store.ContactChange => ({
  ...(name === undefined ? {} : { profile_name: getProfileName(name) }),
  ...(username === undefined ? {} : { username: getProfileName(username) }),
});

/**
 * Takes over what the channel calls people, with `contact.updated` where that is new.
 * @param profiles by address; addresses that nobody has are passed over
 */
export async function setProfiles(
  unit: Unit,
  workspaceId: string,
  instanceId: string,
  profiles: ReadonlyMap<string, Profile>,
): Promise<void> {
  const identities = [...profiles.keys()].map((address) => ({ instance_id: instanceId, address }));
  const owners = await store.getOwners(unit.db, workspaceId, identities);
  const wanted = new Map<string, store.ContactChange>();
  for (const one of identities) {
    const owner = owners.get(store.keyOfIdentity(one));
    if (owner !== undefined) wanted.set(owner, toColumns(profiles.get(one.address)!));
  }
  const known = await store.readContacts(unit.db, workspaceId, [...wanted.keys()]);
  const stale = known
    .filter((row) => !isDeepStrictEqual({ ...row, ...wanted.get(row.id) }, row))
    .map(({ id }) => id);
  const locked = await store.lockContacts(unit.db, workspaceId, stale);
  await changeContacts(
    unit,
    workspaceId,
    locked.map((before) => ({ before, change: wanted.get(before.id)! })),
  );
}

/**
 * Stores which addresses messages can reach, with `contact.updated` where that changes.
 * @param since by address: since when they cannot, null where they can; addresses without a contact are skipped
 */
export async function setReachability(
  unit: Unit,
  workspaceId: string,
  instanceId: string,
  since: ReadonlyMap<string, Date | null>,
): Promise<void> {
  const identities = [...since.keys()].map((address) => ({ instance_id: instanceId, address }));
  const owners = await store.getOwners(unit.db, workspaceId, identities);
  const locked = await store.lockContacts(unit.db, workspaceId, [...new Set(owners.values())]);
  const changes = locked.map((before) => ({
    before,
    change: {},
    identities: before.identities.map((one) => {
      const until = one.instance_id === instanceId ? since.get(one.address) : undefined;
      const isSame = until === undefined || (until === null) === !one.unreachable_since;
      return isSame ? one : { ...one, unreachable_since: until?.toISOString() ?? null };
    }),
  }));
  await store.updateReachability(
    unit.db,
    workspaceId,
    changes.flatMap((one) => one.identities.filter((identity) => identity.instance_id === instanceId)),
  );
  await changeContacts(unit, workspaceId, changes);
}

/** Those of addresses whose contacts are blocked: what they send directly is neither stored nor told. */
export async function blockedAmong(
  unit: Unit,
  workspaceId: string,
  instanceId: string,
  addresses: readonly string[],
): Promise<Set<string>> {
  return new Set(await store.blockedAddresses(unit.db, workspaceId, instanceId, addresses));
}
