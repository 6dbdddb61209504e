/** Contacts of addresses, found or made: for whoever sends to one or hears from one. */
import type { Unit } from '../../db/unit.ts';
import { storableText } from '../../db/storable-text.ts';
import { type Change, changeContacts, createContacts } from './contact-change.ts';
import * as store from './contact.store.ts';

export interface AddressToBook {
  /** Normalised. */
  address: string;
  /** What the channel calls the person; null and undefined change nothing. */
  profileName?: string | null;
  /** Public id of the key or person that makes it, null for the channel. */
  createdBy: string | null;
}

export interface Booked {
  id: string;
  /** What it sends directly is to be dropped: neither stored nor told. */
  blocked: boolean;
}

const MOST_PROFILE_NAME = 200;

/** A name as a channel may tell it, fit to be stored and shown; null for none. */
function profileNameOf(name: string | null | undefined): string | null {
  const text = storableText(
    Array.from((name ?? '').slice(0, 4 * MOST_PROFILE_NAME))
      .slice(0, MOST_PROFILE_NAME)
      .join(''),
  ).trim();
  return text === '' ? null : text;
}

/** Takes over what the channel calls those that there are, where that is new. */
async function renameProfiles(
  unit: Unit,
  workspaceId: string,
  known: readonly store.ContactRow[],
  names: ReadonlyMap<string, string>,
): Promise<void> {
  const stale = known.filter(({ id, profile_name: name }) => names.has(id) && names.get(id) !== name);
  if (!stale.length) return;
  const locked = await store.lockContacts(
    unit.db,
    workspaceId,
    stale.map(({ id }) => id),
  );
  const changes: Change[] = locked.map((before) => ({
    before,
    change: { profile_name: names.get(before.id)! },
  }));
  await changeContacts(unit, workspaceId, changes);
}

/**
 * Finds or makes the contacts of addresses on an instance, and takes over what its channel calls them. The caller holds
 * the lock of the instance's row in `instance_queues`, taken by an earlier statement.
 * @param wanted each address once
 * @returns address → contact, for all of them
 */
export async function bookContacts(
  unit: Unit,
  workspaceId: string,
  instanceId: string,
  wanted: readonly AddressToBook[],
): Promise<Map<string, Booked>> {
  const identities = wanted.map(({ address }) => ({ instance_id: instanceId, address }));
  const owners = await store.ownersOf(unit.db, workspaceId, identities);
  const ownerOf = (address: string) => owners.get(store.keyOfIdentity({ instance_id: instanceId, address }));
  const lacking = wanted.filter(({ address }) => ownerOf(address) === undefined);
  const made = await createContacts(
    unit,
    workspaceId,
    lacking.map(({ address, profileName, createdBy }) => ({
      id: unit.newUuid(),
      name: null,
      profile_name: profileNameOf(profileName),
      avatar_url: null,
      metadata: {},
      created_by: createdBy,
      created_at: unit.clock(),
      identities: [{ instance_id: instanceId, address }],
    })),
  );
  const known = await store.readContacts(unit.db, workspaceId, [...new Set(owners.values())]);
  const names = new Map<string, string>();
  for (const { address, profileName } of wanted) {
    const [owner, name] = [ownerOf(address), profileNameOf(profileName)];
    if (owner !== undefined && name !== null) names.set(owner, name);
  }
  await renameProfiles(unit, workspaceId, known, names);
  const byId = new Map([...known, ...made].map((row) => [row.id, { id: row.id, blocked: row.blocked }]));
  const booked = new Map<string, Booked>();
  for (const { address } of wanted) {
    const contact = byId.get(ownerOf(address) ?? '');
    if (contact) booked.set(address, contact);
  }
  for (const { id, identities: own } of made) booked.set(own[0]!.address, { id, blocked: false });
  return booked;
}

/** As `bookContacts`. @returns address → id of the contact */
export async function ensureContacts(
  unit: Unit,
  workspaceId: string,
  instanceId: string,
  wanted: readonly AddressToBook[],
): Promise<Map<string, string>> {
  const booked = await bookContacts(unit, workspaceId, instanceId, wanted);
  return new Map([...booked].map(([address, { id }]) => [address, id]));
}
