/**
 * Erasing a contact. At once: the contact, its addresses, ids that were merged into it, its direct chats, and what waits
 * to be sent in them; with its chat a message is seen by nobody. By the job `contacts.erase`: the messages themselves,
 * with reactions and the files that came in them, and in groups what the contact wrote, which is emptied, its reactions
 * and mentions, and what the channel calls it there; of groups that the account is in no more, that it was in them. Who is
 * in a group that the account is in too is shown by address: the channel says so. Short links of its messages are told by the job `links.contacts`. What waits for it while the job runs becomes a new contact with a new chat.
 *
 * The event log holds what it told for its 30 days; that the contact is erased is told by `contact.deleted`.
 */
import type { Unit, Units } from '../../db/unit.ts';
import type { JobPayloads } from '../../jobs/job-queue.ts';
import { forgetPerson } from '../groups/participant.store.ts';
import { lockQueue } from '../queue/queue-row.store.ts';
import { removeContact } from './contact-change.ts';
import { changedMeanwhile } from './contact-input.ts';
import { lockWithInstances } from './contact.service.ts';
import * as store from './contact.store.ts';
import * as trace from './contact-trace.store.ts';
import { walkGroups } from './contact-walk.ts';

const CHATS = 1_000;
const MESSAGES = 500;
const GROUPS = 500;

/** @throws Problem not_found, conflict */
export async function eraseContact(unit: Unit, workspaceId: string, id: string): Promise<void> {
  const resolved = await store.resolveId(unit.db, workspaceId, id);
  const ids = [resolved, ...(await store.aliasesOf(unit.db, workspaceId, resolved))];
  // Chats may be on instances that it has no address on any more.
  const further = await trace.instancesOfChats(unit.db, workspaceId, ids);
  const row = await lockWithInstances(
    unit,
    workspaceId,
    resolved,
    further.map((instanceId) => ({ instance_id: instanceId, address: '' })),
  );
  const locked = new Set([...further, ...row.identities.map((one) => one.instance_id)]);
  const payload = { workspaceId, contactIds: ids };
  for (;;) {
    const chats = await trace.chatsOf(unit.db, workspaceId, ids, CHATS);
    if (!chats.length) break;
    if (chats.some((chat) => !locked.has(chat.instance_id))) throw changedMeanwhile();
    await trace.removeChats(unit.db, workspaceId, chats);
    const chatIds = chats.map((chat) => chat.id);
    await unit.jobs.enqueue(unit.db, 'contacts.erase', { ...payload, chatIds, identities: [] });
  }
  await removeContact(unit, workspaceId, row);
  await unit.jobs.enqueue(unit.db, 'links.contacts', { workspaceId, contactIds: ids, to: null });
  if (row.identities.length)
    await unit.jobs.enqueue(unit.db, 'contacts.erase', {
      ...payload,
      chatIds: [],
      identities: row.identities,
    });
}

/** Files that only these messages showed. */
async function deleteFiles(unit: Unit, workspaceId: string, mediaIds: readonly string[]): Promise<void> {
  for (const sha256 of await trace.deleteUnshown(unit.db, workspaceId, mediaIds))
    await unit.jobs.enqueue(unit.db, 'media.collect', { workspaceId, sha256 });
}

async function forgetInGroups(
  units: Units,
  workspaceId: string,
  identity: store.IdentityRow,
  signal?: AbortSignal,
): Promise<void> {
  for (;;) {
    signal?.throwIfAborted();
    const count = await units.write(async (unit) =>
      // With the instance its groups are gone.
      (await lockQueue(unit.db, workspaceId, identity.instance_id))
        ? forgetPerson(unit.db, workspaceId, identity, GROUPS)
        : 0,
    );
    if (count < GROUPS) return;
  }
}

/** Performs the job `contacts.erase`. @throws where `signal` ends it early: it is to be begun again */
export async function performErasure(
  units: Units,
  { workspaceId, contactIds, chatIds, identities }: JobPayloads['contacts.erase'],
  signal?: AbortSignal,
): Promise<void> {
  for (const chatId of chatIds)
    for (;;) {
      signal?.throwIfAborted();
      const count = await units.write(async (unit) => {
        const deleted = await trace.deleteMessages(unit.db, workspaceId, chatId, MESSAGES);
        await deleteFiles(unit, workspaceId, deleted.received);
        return deleted.count;
      });
      if (count < MESSAGES) break;
    }
  for (const identity of identities) {
    await forgetInGroups(units, workspaceId, identity, signal);
    await walkGroups(
      units,
      workspaceId,
      identity.instance_id,
      async (unit, ids) => {
        const { db } = unit;
        const files = await trace.emptyMessages(db, workspaceId, ids, identity, contactIds, unit.clock());
        await deleteFiles(unit, workspaceId, files);
      },
      signal,
    );
  }
}
