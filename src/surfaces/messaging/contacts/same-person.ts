/**
 * Addresses that a channel calls one person's. One of them, the root, is the address of the chat and of all that is
 * stored; the others are its aliases: whatever names one means the root.
 *
 * | the channel says that addresses are one person's, of which | then |
 * | --- | --- |
 * | nobody has any | the first is the root of whoever becomes a contact by one of them |
 * | one contact has some | the others become aliases |
 * | several stand for themselves | the one whose chat had the latest message is the root. Their contacts are merged by the job `contacts.join`: it locks the instances of both in order, which this transaction can't |
 * | one was given up | it is taken away; if it was the root, the new one takes its place, also in its chat |
 *
 * The caller holds the lock of the instance's row in `instance_queues`, as in contact-book.ts.
 */
import type { Unit, Units } from '../../../core/unit-of-work.ts';
import type { JobPayloads } from '../../../platform/jobs/job-queue.ts';
import { Problem } from '../../../platform/http/problem.ts';
import type { BlockDeps } from './contact-block.service.ts';
import { changeContacts } from './contact-change.ts';
import { mergeContacts } from './contact-merge.ts';
import { MAX_IDENTITIES } from './contact.schema.ts';
import * as contacts from './contact.store.ts';
import * as store from './same-person.store.ts';

/** As a channel tells it; addresses normalised. */
export interface SamePerson {
  addresses: readonly string[];
  /** Given up by the person: others may get them. */
  former?: readonly string[];
}

export interface People {
  /** The address that stands for an address. */
  getRoot(address: string): string;
  /** Further addresses of one that nobody has yet. */
  getAliases(root: string): string[];
}

interface Known {
  root: string;
  /** Null until somebody becomes a contact by it. */
  contactId: string | null;
}

interface State {
  unit: Unit;
  workspaceId: string;
  instanceId: string;
  known: Map<string, Known>;
  /** Addresses that contacts get. */
  coming: Map<string, contacts.IdentityRow[]>;
  /** Addresses that contacts lose. */
  going: Map<string, Set<string>>;
}

const getMembers = ({ known }: State, root: string): string[] =>
  [...known].flatMap(([address, one]) => (one.root === root ? [address] : []));

/** Adds addresses to those that stand for a root. */
function add(state: State, root: string, addresses: readonly string[]): void {
  const { contactId } = state.known.get(root)!;
  for (const address of addresses) {
    if (state.known.get(address)?.root === root) continue;
    state.known.set(address, { root, contactId });
    if (contactId === null) continue;
    const identity = { instance_id: state.instanceId, address, alias_of: root };
    state.coming.set(contactId, [...(state.coming.get(contactId) ?? []), identity]);
  }
}

/** Contacts of addresses that turned out to be one person's: the younger is merged into the older. */
async function join({ unit, workspaceId }: State, contactIds: readonly string[]): Promise<void> {
  const [older, ...others] = [...new Set(contactIds)].toSorted();
  for (const other of others)
    await unit.jobs.enqueue(unit.db, 'contacts.join', { workspaceId, contactIds: [older!, other] });
}

async function unite(state: State, { addresses }: SamePerson): Promise<void> {
  const { unit, workspaceId, instanceId, known } = state;
  const roots = [...new Set(addresses.flatMap((address) => known.get(address)?.root ?? []))];
  const owned = roots.filter((root) => known.get(root)!.contactId !== null);
  const latest =
    owned.length > 1 ? await store.findLatestChat(unit.db, workspaceId, instanceId, owned) : null;
  const root = latest ?? owned[0] ?? roots[0] ?? addresses[0]!;
  if (!known.has(root)) known.set(root, { root, contactId: null });
  const losing = owned.filter((one) => one !== root);
  if (losing.length) {
    // Also of those that were only written here, which have no row yet.
    for (const one of losing) for (const address of getMembers(state, one)) known.get(address)!.root = root;
    for (const list of state.coming.values())
      for (const one of list) if (losing.includes(one.alias_of!)) one.alias_of = root;
    await store.setRoot(unit.db, workspaceId, instanceId, losing, root);
    await join(
      state,
      owned.map((one) => known.get(one)!.contactId!),
    );
  }
  const pending = roots.filter((one) => !owned.includes(one)).flatMap((one) => getMembers(state, one));
  add(state, root, [...new Set([...addresses, ...pending])]);
}

/** Takes away an address that was given up. */
async function leave(state: State, former: string, heir: string): Promise<void> {
  const { unit, workspaceId, instanceId, known } = state;
  const before = known.get(former);
  if (!before || former === heir) return;
  const { root, contactId } = before;
  known.delete(former);
  if (contactId !== null) {
    state.going.set(contactId, (state.going.get(contactId) ?? new Set()).add(former));
    const coming = state.coming.get(contactId);
    if (coming)
      state.coming.set(
        contactId,
        coming.filter(({ address }) => address !== former),
      );
  }
  if (root !== former) return;
  for (const address of getMembers(state, former)) known.get(address)!.root = heir;
  for (const list of state.coming.values())
    for (const one of list) if (one.alias_of === former) one.alias_of = one.address === heir ? null : heir;
  if (contactId === null) return;
  await store.setRoot(unit.db, workspaceId, instanceId, [former], heir);
  await store.moveChat(unit.db, workspaceId, instanceId, { from: former, to: heir }, unit.clock());
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

/**
 * Takes over which addresses are one person's, with `contact.updated` for contacts that get or lose addresses.
 * @param named further addresses to be looked up
 */
export async function joinAddresses(
  unit: Unit,
  workspaceId: string,
  instanceId: string,
  told: readonly SamePerson[],
  named: readonly string[] = [],
): Promise<People> {
  const asked = [...named, ...told.flatMap(({ addresses, former = [] }) => [...addresses, ...former])];
  const found = await store.findAddresses(unit.db, workspaceId, instanceId, [...new Set(asked)]);
  const known = new Map<string, Known>(
    found.map((row) => [row.address, { root: row.root, contactId: row.contact_id }]),
  );
  const roots = found.map(({ root }) => root).filter((root) => !known.has(root));
  for (const row of await store.findAddresses(unit.db, workspaceId, instanceId, [...new Set(roots)]))
    known.set(row.address, { root: row.root, contactId: row.contact_id });
  const state: State = { unit, workspaceId, instanceId, known, coming: new Map(), going: new Map() };
  for (const one of told) {
    const former = (one.former ?? []).filter((address) => !one.addresses.includes(address));
    await unite(state, { addresses: [...one.addresses, ...former.filter((address) => known.has(address))] });
    for (const address of former) await leave(state, address, one.addresses[0]!);
  }
  if (state.coming.size || state.going.size) await write(state);
  return {
    getRoot: (address) => known.get(address)?.root ?? address,
    getAliases: (root) =>
      known.get(root)?.contactId === null
        ? getMembers(state, root).filter((address) => address !== root)
        : [],
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
    // Merged or deleted meanwhile, or together they have more addresses than a contact can.
    if (error instanceof Problem && (error.code === 'not_found' || error.code === 'unprocessable')) return;
    throw error;
  }
}
