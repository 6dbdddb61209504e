/**
 * Blocks contacts. Direct messages of a blocked contact are neither stored nor reported, starting with the response, on
 * every channel. If the channel supports blocking, each instance that knows the contact durably queues it, too.
 */
import { v5 } from 'uuid';
import type { WithVersion } from '../../../platform/http/etag.ts';
import type { Unit } from '../../../core/unit/unit-of-work.ts';
import { publicId } from '../../../core/vocabulary/ids.ts';
import { can } from '../../../channels/contract/capabilities.ts';
import type { Json } from '../../../channels/contract/json.ts';
import { instancesById } from '../records/sending-instance.store.ts';
import { enqueueAction } from '../records/queue-row.store.ts';
import { changeContacts } from './contact-change.ts';
import type { AddressDeps } from './contact-input.ts';
import { lockWithInstances, withVersion } from './contact.service.ts';
import type { ContactRow, IdentityRow } from './contact.store.ts';
import type { ContactObject } from './contact.schema.ts';

export interface BlockDeps extends AddressDeps {
  /** Notifies the sender after the commit; only a hint. */
  wakeSender: (instanceIds: readonly string[]) => void;
}

/** Takes the place of a chat, so that actions on one contact on one instance stay in order. */
const orderKey = (contactId: string, instanceId: string): string => v5(instanceId, contactId);

/**
 * Queues setting or lifting blocks on the channels of addresses that support it. The caller has locked their instances'
 * rows in `instance_queues`.
 */
export async function notifyChannels(
  unit: Unit,
  { drivers, wakeSender }: BlockDeps,
  row: ContactRow,
  identities: readonly IdentityRow[],
  isBlocked: boolean,
): Promise<void> {
  const ids = [...new Set(identities.map((one) => one.instance_id))].toSorted();
  const instances = await instancesById(unit.db, row.workspace_id, ids);
  const told: string[] = [];
  for (const id of ids) {
    const instance = instances.get(id);
    const driver = instance && drivers.get(instance.channel);
    if (!driver || !can(driver.capabilities(instance.settings as Json), 'block')) continue;
    const own = identities.filter((one) => one.instance_id === id);
    // The channel blocks a person under any of their addresses.
    const isNamed = ({ alias_of: root }: IdentityRow): boolean => own.some(({ address }) => address === root);
    for (const { address } of own.filter((one) => !isNamed(one))) {
      const action = {
        id: unit.newUuid(),
        action: isBlocked ? ('block' as const) : ('unblock' as const),
        chatId: orderKey(row.id, id),
        messageId: null,
        payload: { address, contact_id: publicId('contact', row.id) },
      };
      await enqueueAction(unit.db, row.workspace_id, id, action, instance.queue_ttl_seconds);
    }
    told.push(id);
  }
  if (told.length) unit.afterCommit(() => wakeSender(told));
}

/** Blocks or unblocks a contact; no change if it is already in that state. @throws Problem not_found, conflict */
export async function setBlocked(
  unit: Unit,
  deps: BlockDeps,
  workspaceId: string,
  id: string,
  isBlocked: boolean,
): Promise<WithVersion<{ contact: ContactObject }>> {
  const before = await lockWithInstances(unit, workspaceId, id);
  if (before.blocked === isBlocked) return withVersion(before);
  const [row] = await changeContacts(unit, workspaceId, [{ before, change: { blocked: isBlocked } }]);
  await notifyChannels(unit, deps, row!, row!.identities, isBlocked);
  return withVersion(row!);
}
