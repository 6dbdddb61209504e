/** Emits events about changes of groups, each once, with the actor. */
import type { Unit } from '../../../core/unit/unit-of-work.ts';
import { changedFields, type NewEvent } from '../../../core/unit/event-writer.ts';
import { publicId } from '../../../core/vocabulary/ids.ts';
import type { GroupMembership } from '../../../channels/contract/signal.ts';
import { keyOfIdentity, getOwners } from '../contacts/contact.store.ts';
import { instancesById } from '../records/sending-instance.store.ts';
import { presentGroup } from './group-present.ts';
import type { GroupRow } from './group.store.ts';
import type { ParticipantChange } from './participant-changes.ts';

/** Maximum changes in one event; further ones are only visible in the object's count. */
const MAX_CHANGES = 1_000;

export interface GroupContext {
  workspaceId: string;
  instanceId: string;
  /** The account's address, if the connection knows it; if omitted, the stored one is used. */
  ownAddress?: string | null;
}

/** Details of a change that the two states of a group do not show. */
export interface GroupDetails {
  created?: true;
  joined?: true;
  left?: GroupMembership;
  changes?: readonly ParticipantChange[];
}

/** Returns the account's own address; null if it is not known. */
export async function getOwnAddress(unit: Unit, context: GroupContext): Promise<string | null> {
  if (context.ownAddress !== undefined) return context.ownAddress;
  const { workspaceId, instanceId } = context;
  const instance = (await instancesById(unit.db, workspaceId, [instanceId])).get(instanceId);
  context.ownAddress = instance?.address ?? null;
  return context.ownAddress;
}

/** Describes the changes of `group.updated`. */
const describe = ({
  subject,
  description,
  picture,
  settings,
  invite_url,
}: ReturnType<typeof presentGroup>) => ({
  subject,
  description,
  picture,
  settings,
  invite_url,
});

/** @param before undefined for a new group */
export async function writeGroupEvents(
  unit: Unit,
  context: GroupContext,
  before: GroupRow | undefined,
  after: GroupRow,
  { by, details }: { by: string | null; details: GroupDetails },
): Promise<void> {
  const { workspaceId, instanceId } = context;
  const object = presentGroup(after);
  const changes =
    details.created || details.joined || details.left ? [] : (details.changes ?? []).slice(0, MAX_CHANGES);
  const was = before && presentGroup(before);
  const previous =
    was && !details.joined && !details.left ? changedFields(describe(was), describe(object)) : {};
  const isUpdated = Object.keys(previous).length > 0 && !details.created;
  if (!details.created && !details.joined && !details.left && !isUpdated && !changes.length) return;
  const addresses = [...changes.map(({ address }) => address), ...(by === null ? [] : [by])];
  const owners = await getOwners(
    unit.db,
    workspaceId,
    [...new Set(addresses)].map((address) => ({ instance_id: instanceId, address })),
  );
  const getContact = (address: string): string | null => {
    const id = owners.get(keyOfIdentity({ instance_id: instanceId, address }));
    return id === undefined ? null : publicId('contact', id);
  };
  const who =
    by === null
      ? null
      : { address: by, contact_id: getContact(by), from_me: by === (await getOwnAddress(unit, context)) };
  const event = (type: NewEvent['type'], also: object = {}, more: Partial<NewEvent> = {}): NewEvent => ({
    workspaceId,
    type,
    resourceId: object.id,
    object,
    also: { ...also, by: who },
    ...more,
  });
  await unit.events.writeAll(unit, [
    ...(details.created ? [event('group.created')] : []),
    ...(details.joined && !details.created ? [event('group.joined')] : []),
    ...(isUpdated ? [event('group.updated', {}, { previous })] : []),
    ...(changes.length
      ? [
          event('group.participants_changed', {
            changes: changes.map(({ action, address, role }) => ({
              action,
              address,
              contact_id: getContact(address),
              role,
            })),
          }),
        ]
      : []),
    ...(details.left ? [event('group.left', { why: details.left })] : []),
  ]);
}
