/**
 * Addresses that a channel calls one person's. One of them, the root, is the address of the chat and of all that is
 * stored; the others are its aliases: a reference to an alias means the root.
 *
 * | the channel reports that addresses belong to one person, and | then |
 * | --- | --- |
 * | no contact has any of them | the first becomes the root of the contact that is later created for one of them |
 * | one contact has some | the others become aliases |
 * | several are roots | the one whose chat had the latest message is the root. Their contacts are merged by the job `contacts.join`: it locks the instances of both in order, which this transaction can't |
 * | one was given up, or is reported with identifiers of another contact | it is removed from its former contact; if it was the root, the new one takes its place, also in its chat |
 *
 * The caller holds the lock of the instance's row in `instance_queues`, as in contact-book.ts.
 */
import type { Unit, Units } from '../../../core/unit/unit-of-work.ts';
import type { JobPayloads } from '../../../platform/jobs/job-queue.ts';
import { Problem } from '../../../platform/http/problem.ts';
import type { BlockDeps } from './contact-block.service.ts';
import { changeContacts } from './contact-change.ts';
import { mergeContacts } from './contact-merge.ts';
import { MAX_IDENTITIES } from './contact.schema.ts';
import * as contacts from './contact.store.ts';
import * as store from './same-person.store.ts';

/** As reported by a channel, with normalized addresses. */
export interface SamePerson {
  addresses: readonly string[];
  /** Addresses that the person gave up and others may get. */
  former?: readonly string[];
  /** As in SamePersonSignal. */
  reassignable?: { addresses: readonly string[]; isAnothers: (address: string) => boolean };
}

/** A step in the channel's order: addresses of one person, and the addresses that occur after that. */
export interface Step {
  told?: SamePerson;
  named?: readonly string[];
}

export interface People {
  /** Returns the root of an address in the nth step, even if another person gets that address later. */
  getRoot(address: string, nth: number): string;
  /** Returns further addresses of a root that no contact has yet. */
  getAliases(root: string): string[];
}

interface Person {
  root: string;
  /** Known addresses of the person. */
  addresses: Set<string>;
  /** The person that this one turned out to be. */
  same: Person | null;
}

interface State {
  unit: Unit;
  workspaceId: string;
  instanceId: string;
  /** By address. */
  people: Map<string, Person>;
  /** Contacts by address; null until a contact is created for it. */
  owners: Map<string, string | null>;
  /** Addresses that contacts get. */
  coming: Map<string, contacts.IdentityRow[]>;
  /** Addresses that contacts lose. */
  going: Map<string, Set<string>>;
}

/** Records that an address belongs to a person. */
function put({ people }: State, address: string, person: Person): void {
  person.addresses.add(address);
  people.set(address, person);
}

/** Returns the person with an address, or a new one. */
function getPerson(state: State, root: string): Person {
  const known = state.people.get(root);
  if (known) return known;
  const person: Person = { root, addresses: new Set(), same: null };
  put(state, root, person);
  state.owners.set(root, null);
  return person;
}

/** Adds the people read from the database. */
function addKnown(state: State, rows: readonly store.KnownAddress[]): void {
  for (const { address, contact_id: contactId, root } of rows) {
    put(state, address, getPerson(state, root));
    state.owners.set(address, contactId);
  }
}

/** Makes unowned addresses aliases of a root. */
function add(state: State, person: Person, addresses: Iterable<string>): void {
  const { owners, coming, instanceId } = state;
  const contactId = owners.get(person.root) ?? null;
  for (const address of addresses) {
    put(state, address, person);
    if (!owners.has(address)) owners.set(address, null);
    if (contactId === null || owners.get(address) !== null) continue;
    owners.set(address, contactId);
    const identity = { instance_id: instanceId, address, alias_of: person.root };
    coming.set(contactId, [...(coming.get(contactId) ?? []), identity]);
  }
}

/** Merges contacts that turned out to be one person: the newer one into the older one. */
async function join({ unit, workspaceId }: State, contactIds: readonly string[]): Promise<void> {
  const [older, ...others] = [...new Set(contactIds)].toSorted();
  for (const other of others)
    await unit.jobs.enqueue(unit.db, 'contacts.join', { workspaceId, contactIds: [older!, other] });
}

/** Also sets the root of addresses that were only added here and have no row yet. */
function setComingRoot({ coming }: State, from: readonly string[], root: string): void {
  for (const list of coming.values())
    for (const one of list)
      if (from.includes(one.alias_of ?? one.address)) one.alias_of = one.address === root ? null : root;
}

async function unite(state: State, addresses: readonly string[]): Promise<void> {
  const { unit, workspaceId, instanceId, people, owners } = state;
  const found = [...new Set(addresses.flatMap((address) => people.get(address) ?? []))];
  const owned = found.filter(({ root }) => owners.get(root) !== null);
  const latest =
    owned.length > 1
      ? await store.findLatestChat(
          unit.db,
          workspaceId,
          instanceId,
          owned.map(({ root }) => root),
        )
      : null;
  const person =
    owned.find(({ root }) => root === latest) ?? owned[0] ?? found[0] ?? getPerson(state, addresses[0]!);
  const losing = owned.filter((one) => one !== person).map(({ root }) => root);
  const contactIds = owned.map(({ root }) => owners.get(root)!);
  add(state, person, addresses);
  for (const other of found)
    if (other !== person) {
      add(state, person, other.addresses);
      other.same = person;
    }
  if (!losing.length) return;
  setComingRoot(state, losing, person.root);
  await store.setRoot(unit.db, workspaceId, instanceId, losing, person.root);
  await join(state, contactIds);
}

/** Removes an address that was given up. @param heir another address of the person */
async function leave(state: State, former: string, heir: string): Promise<void> {
  const { unit, workspaceId, instanceId, people, owners } = state;
  const person = people.get(former);
  if (!person || former === heir) return;
  const contactId = owners.get(former) ?? null;
  people.delete(former);
  owners.delete(former);
  person.addresses.delete(former);
  if (contactId !== null) {
    state.going.set(contactId, (state.going.get(contactId) ?? new Set()).add(former));
    const coming = state.coming.get(contactId) ?? [];
    state.coming.set(
      contactId,
      coming.filter(({ address }) => address !== former),
    );
  }
  if (person.root === former) {
    person.root = heir;
    setComingRoot(state, [former], heir);
    if (contactId !== null) await store.setRoot(unit.db, workspaceId, instanceId, [former], heir);
  }
  // Even an address without aliases may have a chat, from before its owner was known.
  if (contactId !== null)
    await store.moveChat(unit.db, workspaceId, instanceId, { from: former, to: person.root }, unit.clock());
}

/** Removes addresses from their previous owners if they were reassigned unnoticed. */
async function takeReassigned(state: State, { addresses, reassignable }: SamePerson): Promise<void> {
  if (!reassignable) return;
  const { people } = state;
  const certain = addresses.filter((address) => !reassignable.addresses.includes(address));
  for (const address of reassignable.addresses) {
    const person = people.get(address);
    if (!person || certain.some((one) => people.get(one) === person)) continue;
    const heir = [...person.addresses].find(reassignable.isAnothers);
    if (heir !== undefined) await leave(state, address, heir);
  }
}

/** Returns the roots whose other addresses show whether they were reassigned: those reported with something new. */
function getDoubtful({ people }: State, told: readonly SamePerson[]): string[] {
  const all = told.flatMap(({ addresses, reassignable }) => {
    const known = new Set(addresses.map((address) => people.get(address)));
    if (!reassignable || known.size < 2) return [];
    return reassignable.addresses.flatMap((address) => people.get(address)?.root ?? []);
  });
  return [...new Set(all)];
}

async function write(state: State): Promise<void> {
  const { unit, workspaceId, instanceId } = state;
  const ids = [...new Set([...state.coming.keys(), ...state.going.keys()])];
  const rows = await contacts.lockContacts(unit.db, workspaceId, ids);
  const changes = rows.map((before) => {
    const going = state.going.get(before.id);
    const stays = before.identities.filter(
      (one) => one.instance_id !== instanceId || !going?.has(one.address),
    );
    const coming = state.coming.get(before.id) ?? [];
    return { before, change: {}, identities: [...stays, ...coming].slice(0, MAX_IDENTITIES) };
  });
  await changeContacts(unit, workspaceId, changes);
}

/** Stores which addresses belong to one person, with `contact.updated` for contacts that gain or lose addresses. */
export async function joinAddresses(
  unit: Unit,
  workspaceId: string,
  instanceId: string,
  steps: readonly Step[],
): Promise<People> {
  const told = steps.flatMap((step) => step.told ?? []);
  const asked = [
    ...steps.flatMap(({ named = [] }) => named),
    ...told.flatMap(({ addresses, former = [] }) => [...addresses, ...former]),
  ];
  const state: State = {
    unit,
    workspaceId,
    instanceId,
    people: new Map(),
    owners: new Map(),
    coming: new Map(),
    going: new Map(),
  };
  const { people, owners } = state;
  const find = (addresses: readonly string[]): Promise<store.KnownAddress[]> =>
    store.findAddresses(unit.db, workspaceId, instanceId, [...new Set(addresses)]);
  const found = await find(asked);
  addKnown(state, found);
  addKnown(state, await find(found.map(({ root }) => root).filter((root) => owners.get(root) === null)));
  const doubtful = getDoubtful(state, told);
  addKnown(state, await store.findMembers(unit.db, workspaceId, instanceId, doubtful));
  const named: Map<string, Person>[] = [];
  for (const step of steps) {
    if (step.told) {
      const { addresses, former = [] } = step.told;
      await takeReassigned(state, step.told);
      const gone = former.filter((address) => !addresses.includes(address) && people.has(address));
      await unite(state, [...addresses, ...gone]);
      for (const address of gone) await leave(state, address, addresses[0]!);
    }
    named.push(new Map((step.named ?? []).map((address) => [address, getPerson(state, address)])));
  }
  if (state.coming.size || state.going.size) await write(state);
  return {
    getRoot(address, nth) {
      let person = named[nth]!.get(address)!;
      while (person.same) person = person.same;
      return person.root;
    },
    getAliases(root) {
      if (owners.get(root) !== null) return [];
      const others = [...people.get(root)!.addresses].filter((address) => address !== root);
      return others.slice(0, MAX_IDENTITIES - 1);
    },
  };
}

/** Performs the job `contacts.join`. */
export async function executeJoin(
  units: Units,
  deps: BlockDeps,
  { workspaceId, contactIds: [into, other] }: JobPayloads['contacts.join'],
): Promise<void> {
  try {
    await units.write((unit) => mergeContacts(unit, deps, workspaceId, into, other));
  } catch (error) {
    // They were merged or deleted, or together have more addresses than a contact may have.
    if (error instanceof Problem && (error.code === 'not_found' || error.code === 'unprocessable')) return;
    throw error;
  }
}
