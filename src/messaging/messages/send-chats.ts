/**
 * The chats that messages to be sent go to, found or made. The caller holds the locks of their instances' rows in
 * `instance_queues`: nobody else makes chats or contacts of these instances until the commit.
 *
 * On channels with threads a subject begins a new one, whose key is the client id of its first message; without one
 * the newest thread with the address goes on.
 */
import type { Unit } from '../../db/unit.ts';
import { publicId } from '../../http/ids.ts';
import { insertChats, type NewChat } from '../chats/chat.store.ts';
import { ensureContacts } from '../contacts/contact-book.ts';
import { chatsByAddress, type KnownChat } from './accept.store.ts';
import type { SendPlan } from './send-plan.ts';

export type PlanOfMessage = SendPlan & { messageId: string; createdBy: string };

const begins = ({ chat, threads, input }: SendPlan): boolean =>
  chat === null && threads && input.subject !== null;
const keyOf = ({ instance, address }: SendPlan): string => `${instance.id} ${address}`;

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
  const asked = new Map<string, { instanceId: string; address: string; threads: boolean }>();
  for (const plan of plans)
    if (plan.chat === null && !begins(plan))
      asked.set(keyOf(plan), { instanceId: plan.instance.id, address: plan.address, threads: plan.threads });
  const current = await chatsByAddress(unit.db, workspaceId, [...asked.values()]);
  const lacking = plans.filter((plan) => begins(plan) || (plan.chat === null && !current.has(keyOf(plan))));
  const contacts = lacking.length ? await contactsFor(unit, workspaceId, lacking) : new Map<string, string>();

  const made: NewChat[] = [];
  const make = (plan: PlanOfMessage): KnownChat => {
    const chat = {
      id: unit.newUuid(),
      instance_id: plan.instance.id,
      kind: 'direct' as const,
      key: plan.threads ? publicId('message', plan.messageId) : plan.address,
      address: plan.address,
      contact_id: contacts.get(keyOf(plan)) ?? null,
    };
    made.push({ ...chat, title: plan.input.subject, created_at: unit.clock() });
    current.set(keyOf(plan), chat);
    return chat;
  };
  const chats = plans.map((plan) => {
    if (plan.chat) return plan.chat;
    const known = begins(plan) ? undefined : current.get(keyOf(plan));
    return known ?? make(plan);
  });
  await insertChats(unit.db, workspaceId, made);
  return chats;
}
