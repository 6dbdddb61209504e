/**
 * Merges one contact into another. Immediately: its addresses, its first chats, and its ID, which remains valid. By the
 * job `contacts.merge`: messages and further chats, which show the old, still valid ID until then.
 */
import type { Unit, Units } from '../../../core/unit/unit-of-work.ts';
import type { WithVersion } from '../../../platform/http/etag.ts';
import type { JobPayloads } from '../../../platform/jobs/job-queue.ts';
import { performSteps, type Step, UNSHARED, walkInTurn } from '../../../platform/jobs/turn.ts';
import { Problem } from '../../../platform/http/problem.ts';
import { noSuch } from '../records/message-problems.ts';
import { type BlockDeps, notifyChannels } from './contact-block.service.ts';
import { changeContacts, removeContact } from './contact-change.ts';
import { changedMeanwhile, lockInstances } from './contact-input.ts';
import { withVersion } from './contact.service.ts';
import { MAX_IDENTITIES, type ContactObject } from './contact.schema.ts';
import * as store from './contact.store.ts';
import * as trace from './contact-trace.store.ts';
import { walkMessages } from './contact-walk.ts';

const CHATS_AT_ONCE = 1_000;
const MAX_METADATA = 50;

/** Returns the survivor's fields afterwards: its own values if set, otherwise the other contact's. */
function merged(survivor: store.ContactRow, other: store.ContactRow): store.ContactChange {
  const pairs = Object.entries({ ...(survivor.metadata as object), ...(other.metadata as object) });
  return {
    name: survivor.name ?? other.name,
    profile_name: survivor.profile_name ?? other.profile_name,
    username: survivor.username ?? other.username,
    avatar_url: survivor.avatar_url ?? other.avatar_url,
    blocked: survivor.blocked || other.blocked,
    metadata: {
      ...Object.fromEntries(pairs.slice(0, MAX_METADATA)),
      ...(survivor.metadata as object),
    },
  };
}

/**
 * Locks both contacts, after all instances on which either has an address.
 * @throws Problem not_found, conflict, unprocessable
 */
async function lockBoth(
  unit: Unit,
  workspaceId: string,
  intoId: string,
  otherId: string,
): Promise<{ survivor: store.ContactRow; other: store.ContactRow }> {
  const ids = [
    await store.resolveId(unit.db, workspaceId, intoId),
    await store.resolveId(unit.db, workspaceId, otherId),
  ] as const;
  if (ids[0] === ids[1]) {
    const detail = 'The two are one contact already.';
    throw new Problem('unprocessable', detail, {
      errors: [{ pointer: '/contact_id', code: 'same_contact', detail }],
    });
  }
  const seen = await store.readContacts(unit.db, workspaceId, ids);
  const known = seen.flatMap(({ identities }) => identities.map((one) => one.instance_id));
  const locked = await lockInstances(unit, workspaceId, known);
  const rows = await store.lockContacts(unit.db, workspaceId, ids);
  const survivor = rows.find(({ id }) => id === ids[0]);
  const other = rows.find(({ id }) => id === ids[1]);
  if (!survivor) throw noSuch('contact', '');
  if (!other) throw noSuch('contact', '/contact_id');
  if (rows.some(({ identities }) => identities.some((one) => !locked.has(one.instance_id))))
    throw changedMeanwhile();
  return { survivor, other };
}

/** @returns the survivor. @throws Problem not_found, conflict, unprocessable */
export async function mergeContacts(
  unit: Unit,
  deps: BlockDeps,
  workspaceId: string,
  intoId: string,
  otherId: string,
): Promise<WithVersion<{ contact: ContactObject }>> {
  const { survivor, other } = await lockBoth(unit, workspaceId, intoId, otherId);
  const identities = [...survivor.identities, ...other.identities];
  if (identities.length > MAX_IDENTITIES)
    throw new Problem('unprocessable', `Together, the contacts have more than ${MAX_IDENTITIES} addresses.`);
  const aliases = await store.getAliases(unit.db, workspaceId, other.id);
  await trace.giveChats(unit.db, workspaceId, other.id, survivor.id, CHATS_AT_ONCE, unit.clock());
  await removeContact(unit, workspaceId, other);
  await trace.insertAliases(unit.db, workspaceId, [other.id, ...aliases], survivor.id);
  const [row] = await changeContacts(unit, workspaceId, [
    { before: survivor, change: merged(survivor, other), identities },
  ]);
  if (survivor.blocked !== other.blocked)
    await notifyChannels(unit, deps, row!, (survivor.blocked ? other : survivor).identities, true);
  await unit.jobs.enqueue(unit.db, 'contacts.merge', {
    workspaceId,
    contactId: other.id,
    instanceIds: [...new Set(other.identities.map((one) => one.instance_id))],
  });
  return withVersion(row!);
}

/**
 * Performs the job `contacts.merge`; may be repeated.
 * @returns the remaining work for the next turn
 * @throws the reason of the turn's signal
 */
export async function executeMerge(
  units: Units,
  payload: JobPayloads['contacts.merge'],
  turn = UNSHARED,
): Promise<typeof payload | void> {
  const { workspaceId, contactId, instanceIds } = payload;
  const { db, clock } = units.read;
  const to = await store.resolveId(db, workspaceId, contactId);
  // Erased in the meantime, with all data of both contacts.
  if (to === contactId) return;
  if (payload.to !== undefined && payload.to !== to) {
    // Merged again between two turns: what that contact has received so far is moved to the next one.
    const further = { workspaceId, contactId: payload.to, instanceIds };
    await units.write((unit) => unit.jobs.enqueue(unit.db, 'contacts.merge', further));
  }
  const progress = payload.to === to ? payload.progress : undefined;
  const giveMessages = (ids: string[]): Promise<void> =>
    units.write((unit) => trace.giveMessages(unit.db, workspaceId, ids, contactId, to, clock()));
  const steps: Step[] = [
    {
      name: 'chats',
      perform: (position) =>
        walkInTurn(turn, position, async () => {
          const given = await units.write((unit) =>
            trace.giveChats(unit.db, workspaceId, contactId, to, CHATS_AT_ONCE, clock()),
          );
          return given < CHATS_AT_ONCE ? undefined : '';
        }),
    },
    {
      name: 'messages',
      perform: (position) =>
        walkMessages(
          db,
          workspaceId,
          (after) => trace.nextDirectChat(db, workspaceId, to, after),
          giveMessages,
          turn,
          position,
        ),
    },
    {
      name: 'group_messages',
      perform: (position) =>
        walkMessages(
          db,
          workspaceId,
          (after) => trace.nextGroup(db, workspaceId, instanceIds, after, CHATS_AT_ONCE),
          giveMessages,
          turn,
          position,
        ),
    },
  ];
  const left = await performSteps(steps, progress);
  if (left) return { ...payload, to, progress: left };
  const isFinal = (await store.resolveId(db, workspaceId, to)) === to;
  await units.write(async (unit) => {
    await unit.jobs.enqueue(unit.db, 'links.contacts', { workspaceId, contactIds: [contactId], to });
    // Merged again in the meantime: the job of that merge may already have passed the rows that this one moved.
    if (!isFinal)
      await unit.jobs.enqueue(unit.db, 'contacts.merge', { workspaceId, contactId, instanceIds, to });
  });
}
