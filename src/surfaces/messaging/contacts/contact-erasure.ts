/**
 * Erases a contact. Immediately: the contact, its addresses, IDs merged into it, its direct chats, and queued messages
 * in them; without its chat a message is invisible. By the job `contacts.forget` (src/app/contact-erasure.ts), which
 * starts with this file: the messages with their reactions and received files; in groups the content of the contact's
 * messages, its reactions, mentions and name, and its membership in groups that the account has left. Members of groups
 * that the account is still in are shown by address, as the channel reports them. Messages received while the job runs
 * create a new contact with a new chat.
 *
 * The job's data is in `contact_erasures` until it has finished: jobs are retained longer, so they contain no address.
 */
import type { Unit, Units } from '../../../core/unit/unit-of-work.ts';
import { insertErasure } from '../../../core/events/erasure/erasure.store.ts';
import { assertMatches, type IfMatch } from '../../../platform/http/etag.ts';
import { publicId } from '../../../core/vocabulary/ids.ts';
import type { ErasedPerson } from '../../../core/events/erasure/person.ts';
import { type JobTurn, type Step, walkInTurn } from '../../../platform/jobs/turn.ts';
import { erasePerson } from '../records/participant.store.ts';
import { lockQueue } from '../records/queue-row.store.ts';
import { eraseUpdates } from '../unprocessed-updates/update-erasure.ts';
import { removeContact } from './contact-change.ts';
import { changedMeanwhile } from './contact-input.ts';
import { lockWithInstances } from './contact.service.ts';
import * as store from './contact.store.ts';
import * as trace from './contact-trace.store.ts';
import { walkMessages } from './contact-walk.ts';

const CHATS = 1_000;
const MESSAGES = 500;
const GROUPS = 500;

/** Returns the contact's addresses, and addresses of its chats that no contact has any more. */
async function getAddresses(
  unit: Unit,
  workspaceId: string,
  own: readonly store.IdentityRow[],
  chats: readonly trace.ChatOf[],
): Promise<store.IdentityRow[]> {
  const all = [...own, ...chats].map(({ instance_id, address }) => ({ instance_id, address }));
  const different = [...new Map(all.map((one) => [store.keyOfIdentity(one), one])).values()];
  // The contact's own rows are already deleted: an owner of one of these is another contact.
  const owners = await store.getOwners(unit.db, workspaceId, different);
  return different.filter((one) => !owners.has(store.keyOfIdentity(one)));
}

/** @throws Problem not_found, precondition_failed, conflict */
export async function eraseContact(
  unit: Unit,
  workspaceId: string,
  id: string,
  ifMatch: IfMatch,
): Promise<void> {
  const resolved = await store.resolveId(unit.db, workspaceId, id);
  const ids = [resolved, ...(await store.getAliases(unit.db, workspaceId, resolved))];
  // Chats may be on instances on which the contact has no address any more.
  const further = await trace.instancesOfChats(unit.db, workspaceId, ids);
  const row = await lockWithInstances(
    unit,
    workspaceId,
    resolved,
    further.map((instanceId) => ({ instance_id: instanceId, address: '' })),
  );
  assertMatches(ifMatch, row, 'contact');
  const locked = new Set([...further, ...row.identities.map((one) => one.instance_id)]);
  const chats: trace.ChatOf[] = [];
  for (;;) {
    const some = await trace.getChats(unit.db, workspaceId, ids, CHATS);
    if (!some.length) break;
    if (some.some((chat) => !locked.has(chat.instance_id))) throw changedMeanwhile();
    await trace.removeChats(unit.db, workspaceId, some);
    chats.push(...some);
  }
  const [erasureId, eventId] = [unit.newUuid(), unit.newUuid()];
  await removeContact(unit, workspaceId, row, { eventId });
  await store.releaseAliases(unit.db, workspaceId, row.identities);
  await insertErasure(unit.db, workspaceId, {
    erasureId,
    contactIds: ids,
    chatIds: chats.map((chat) => chat.id),
    identities: await getAddresses(unit, workspaceId, row.identities, chats),
    eventId,
    erasedAt: unit.clock(),
  });
  await unit.jobs.enqueue(unit.db, 'contacts.forget', { workspaceId, erasureId });
}

/** Deletes files that only these messages showed. */
async function deleteFiles(unit: Unit, workspaceId: string, mediaIds: readonly string[]): Promise<void> {
  for (const sha256 of await trace.deleteUnshown(unit.db, workspaceId, mediaIds))
    await unit.jobs.enqueue(unit.db, 'media.collect', { workspaceId, sha256 });
}

/** @returns whether there may be more */
async function forgetInGroups(
  units: Units,
  workspaceId: string,
  identity: store.IdentityRow,
  contactIds: readonly string[],
): Promise<boolean> {
  const count = await units.write(async (unit) => {
    // The instance's groups were deleted with it.
    if (!(await lockQueue(unit.db, workspaceId, identity.instance_id))) return 0;
    await trace.removeBlocks(
      unit.db,
      workspaceId,
      identity.instance_id,
      contactIds.map((id) => publicId('contact', id)),
    );
    return erasePerson(unit.db, workspaceId, identity, GROUPS);
  });
  return count === GROUPS;
}

/** Processes batches for each of `items` in order. The position is an index. */
const walkEach =
  <T>(turn: JobTurn, items: readonly T[], batch: (item: T) => Promise<boolean>) =>
  (position: string): Promise<string | undefined> =>
    walkInTurn(turn, position, async (at) => {
      const nth = Number(at);
      if (nth >= items.length) return undefined;
      return String((await batch(items[nth]!)) ? nth : nth + 1);
    });

/** Erases a contact from messages and groups; each step may be repeated. */
export function eraseInMessages(units: Units, person: ErasedPerson, turn: JobTurn): Step[] {
  const { workspaceId, contactIds, chatIds, identities } = person;
  const who = { contactIds, addresses: [...new Set(identities.map(({ address }) => address))] };
  const instanceIds = [...new Set(identities.map((one) => one.instance_id))];
  const { db } = units.read;
  const deleteMessages = (chatId: string): Promise<boolean> =>
    units.write(async (unit) => {
      const deleted = await trace.deleteMessages(unit.db, workspaceId, chatId, who.addresses, MESSAGES);
      await deleteFiles(unit, workspaceId, deleted.files);
      return deleted.count === MESSAGES;
    });
  const emptyMessages = async (ids: string[], instanceId: string): Promise<void> => {
    for (const identity of identities.filter((one) => one.instance_id === instanceId))
      await units.write(async (unit) => {
        const files = await trace.emptyMessages(unit.db, workspaceId, ids, identity, who, unit.clock());
        await deleteFiles(unit, workspaceId, files);
      });
  };
  return [
    { name: 'updates', perform: () => eraseUpdates(units, person, turn) },
    { name: 'messages', perform: walkEach(turn, chatIds, deleteMessages) },
    {
      name: 'groups',
      perform: walkEach(turn, identities, (one) => forgetInGroups(units, workspaceId, one, contactIds)),
    },
    {
      name: 'group_messages',
      perform: (position) =>
        walkMessages(
          db,
          workspaceId,
          (after) => trace.nextGroup(db, workspaceId, instanceIds, after, CHATS),
          emptyMessages,
          turn,
          position,
        ),
    },
  ];
}
