/**
 * Finds or creates the chats of messages to be sent. The caller has locked their instances' rows in `instance_queues`,
 * so no other transaction creates chats or contacts of these instances until the commit.
 *
 * On channels with threads a subject starts a new one, whose key is the client ID of its first message; without a
 * subject, the newest thread with the address continues.
 */
import type { Unit } from '../../../core/unit/unit-of-work.ts';
import { publicId } from '../../../core/vocabulary/ids.ts';
import { insertChats, type NewChat } from '../records/chat.store.ts';
import { ensureContacts } from '../contacts/contact-book.ts';
import type { KnownChat } from '../records/sending-instance.store.ts';
import { begins, getRecipientKey, type SendPlan } from './send-plan.ts';

export type PlanOfMessage = SendPlan & { messageId: string; createdBy: string };

/** Contacts of the other sides of chats that are to be made. */
async function contactsFor(
  unit: Unit,
  workspaceId: string,
  plans: PlanOfMessage[],
): Promise<Map<string, string>> {
  const byInstance = Map.groupBy(plans, ({ instance }) => instance.id);
  const contacts = new Map<string, string>();
  for (const [instanceId, ofInstance] of byInstance) {
    const distinct = new Map(ofInstance.map(({ address, createdBy }) => [address, { address, createdBy }]));
    const found = await ensureContacts(unit, workspaceId, instanceId, [...distinct.values()]);
    for (const [address, id] of found) contacts.set(`${instanceId} ${address}`, id);
  }
  return contacts;
}

/** @returns the chat of each plan, in their order */
export async function chatsFor(
  unit: Unit,
  workspaceId: string,
  plans: PlanOfMessage[],
): Promise<KnownChat[]> {
  const lacking = plans.filter((plan) => begins(plan) || (plan.chat ?? plan.current) === null);
  const contacts = lacking.length ? await contactsFor(unit, workspaceId, lacking) : new Map<string, string>();

  const made: NewChat[] = [];
  const begun = new Map<string, KnownChat>();
  const make = (plan: PlanOfMessage): KnownChat => {
    const chat: KnownChat = {
      id: unit.newUuid(),
      instance_id: plan.instance.id,
      kind: 'direct',
      key: plan.threads ? publicId('message', plan.messageId) : plan.address,
      address: plan.address,
      contact_id: contacts.get(getRecipientKey(plan)) ?? null,
      membership: null,
      last_inbound_at: null,
    };
    made.push({ ...chat, title: plan.input.subject, created_at: unit.clock() });
    begun.set(getRecipientKey(plan), chat);
    return chat;
  };
  const chats = plans.map((plan) => {
    if (plan.chat) return plan.chat;
    const known = begins(plan) ? null : (begun.get(getRecipientKey(plan)) ?? plan.current);
    return known ?? make(plan);
  });
  await insertChats(unit.db, workspaceId, made);
  return chats;
}
