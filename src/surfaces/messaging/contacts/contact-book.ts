/**
 * Finds and creates contacts by address, for sending and receiving. The caller has locked the instance's row in
 * `instance_queues` in an earlier statement, so no other transaction adds addresses on it until the commit.
 */
import { isDeepStrictEqual } from 'node:util';
import { storableText } from '../../../platform/db/storable-text.ts';
import type { Unit } from '../../../core/unit/unit-of-work.ts';
import { changeContacts, createContacts } from './contact-change.ts';
import * as store from './contact.store.ts';

export interface AddressToBook {
  /** Normalized address. */
  address: string;
  /** Name of the person at the channel, for a new contact. */
  profileName?: string | null;
  username?: string | null;
  /** Aliases of the address that belong to no contact, for a new contact. */
  aliases?: readonly string[];
  /** Public ID of the key or member that creates it; null for the channel. */
  createdBy: string | null;
}

const MAX_PROFILE_NAME = 200;

/** Converts a name from a channel to one that can be stored and shown; null if there is none. */
function getProfileName(name: string | null | undefined): string | null {
  const start = Array.from((name ?? '').slice(0, 2 * MAX_PROFILE_NAME)).slice(0, MAX_PROFILE_NAME);
  return storableText(start.join('')).trim() || null;
}

/**
 * Finds or creates the contacts of addresses on an instance. A new contact emits its event but is not checked against
 * the quota, so that inbound content is never rejected for it.
 * @param wanted each address once
 * @returns contact ID by address, for all of them
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

/** Names of a person at the channel; names that it does not report are omitted. */
export interface Profile {
  name?: string | null;
  username?: string | null;
}

const toColumns = ({ name, username }: Profile): store.ContactChange => ({
  ...(name === undefined ? {} : { profile_name: getProfileName(name) }),
  ...(username === undefined ? {} : { username: getProfileName(username) }),
});

/**
 * Stores the names that the channel reports, with `contact.updated` if they changed.
 * @param profiles by address; addresses without a contact are skipped
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
 * Stores which addresses messages can reach, with `contact.updated` if that changes.
 * @param since by address: since when it is unreachable, or null if it is reachable; addresses without a contact are
 * skipped
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

/** Returns the addresses whose contacts are blocked: their direct messages are neither stored nor reported. */
export async function blockedAmong(
  unit: Unit,
  workspaceId: string,
  instanceId: string,
  addresses: readonly string[],
): Promise<Set<string>> {
  return new Set(await store.blockedAddresses(unit.db, workspaceId, instanceId, addresses));
}
