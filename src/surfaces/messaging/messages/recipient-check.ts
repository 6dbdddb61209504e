/**
 * Validates recipients before there is a message: whether the instance exists and knows the recipient, and whether its
 * channel supports the type. Writes and locks nothing. The instance may connect later.
 */
import type { Db } from '../../../platform/db/database.ts';
import type { IdKind } from '../../../core/vocabulary/nouns.ts';
import { toUuid } from '../../../core/vocabulary/ids.ts';
import type { FieldError } from '../../../platform/http/problem.ts';
import { MESSAGE_TYPES, type MessageType } from '../../../channels/contract/capabilities.ts';
import type { Driver } from '../../../channels/contract/driver.ts';
import { InvalidAddressError } from '../../../channels/contract/driver-error.ts';
import type { Drivers } from '../../../channels/contract/driver-registry.ts';
import type { Json } from '../../../channels/contract/json.ts';
import { readAddress } from '../records/address.ts';
import * as store from '../records/sending-instance.store.ts';
import { checkMessage } from '../records/capability-check.ts';
import { checkThread } from '../records/message-problems.ts';

/** Public IDs; null if not given, or known only once the message exists. */
export interface Recipient {
  instance_id: string;
  to: string | null;
  contact_id: string | null;
  chat_id: string | null;
  group_id: string | null;
  type: string | null;
  /** Whether it begins threads. */
  hasSubject: boolean;
  threadId: string | null;
}

interface World {
  instances: Map<string, store.SendingInstance>;
  contacts: Map<string, { exists: boolean; address: string | null }>;
  groups: Map<string, { chat_id: string }>;
  chats: Map<string, store.KnownChat>;
}

const uuids = (kind: IdKind, ids: readonly (string | null)[]): string[] => [
  ...new Set(ids.flatMap((id) => (id === null ? [] : [toUuid(kind, id)])).filter((id) => id !== null)),
];

async function readWorld(db: Db, workspaceId: string, recipients: readonly Recipient[]): Promise<World> {
  const of = (kind: IdKind, field: 'instance_id' | 'chat_id' | 'group_id') =>
    uuids(
      kind,
      recipients.map((recipient) => recipient[field]),
    );
  const instances = await store.instancesById(db, workspaceId, of('instance', 'instance_id'));
  const contacts = await store.addressesOfContacts(
    db,
    workspaceId,
    recipients.flatMap(({ contact_id: contact, instance_id: instance }) => {
      const contactId = contact === null ? null : toUuid('contact', contact);
      const instanceId = toUuid('instance', instance);
      return contactId !== null && instanceId !== null ? [{ contactId, instanceId }] : [];
    }),
  );
  const groups = await store.chatsOfGroups(db, workspaceId, of('group', 'group_id'));
  const chats = await store.chatsById(db, workspaceId, [
    ...of('chat', 'chat_id'),
    ...[...groups.values()].map(({ chat_id: id }) => id),
  ]);
  return { instances, contacts, groups, chats };
}

const noSuch = (what: string, pointer: string): FieldError => ({
  pointer,
  code: 'not_found',
  detail: `There is no such ${what} in this workspace.`,
});

function faultOfAddress(driver: Driver, settings: Json, address: string): FieldError | null {
  try {
    readAddress(driver, settings, address);
    return null;
  } catch (error) {
    if (!(error instanceof InvalidAddressError)) throw error;
    return { pointer: '/to', code: 'invalid_address', detail: error.message };
  }
}

function faultOfContact(id: string, instanceId: string, world: World): FieldError | null {
  const pointer = '/contact_id';
  const contact = world.contacts.get(`${instanceId} ${toUuid('contact', id)}`);
  if (!contact?.exists) return noSuch('contact', pointer);
  return contact.address === null
    ? { pointer, code: 'no_address', detail: 'the contact has no address on this instance' }
    : null;
}

function faultOfChat(
  kind: 'chat' | 'group',
  id: string,
  instanceId: string,
  world: World,
): FieldError | null {
  const pointer = `/${kind}_id`;
  const uuid = toUuid(kind, id) ?? '';
  const chat = world.chats.get(kind === 'group' ? (world.groups.get(uuid)?.chat_id ?? '') : uuid);
  if (!chat) return noSuch(kind, pointer);
  return chat.instance_id === instanceId
    ? null
    : { pointer, code: 'other_instance', detail: `is a ${kind} of another instance` };
}

function faultsOfPlace(recipient: Recipient, world: World, drivers: Drivers): FieldError[] {
  const instance = world.instances.get(toUuid('instance', recipient.instance_id) ?? '');
  if (!instance) return [noSuch('instance', '/instance_id')];
  const driver = drivers.get(instance.channel);
  if (!driver)
    return [
      {
        pointer: '/instance_id',
        code: 'unsupported_by_channel',
        detail: `This server does not support the channel ${instance.channel}.`,
      },
    ];
  const settings = instance.settings as Json;
  const { to, contact_id: contact, chat_id: chat, group_id: group, type, hasSubject, threadId } = recipient;
  const faults = [
    to === null ? null : faultOfAddress(driver, settings, to),
    contact === null ? null : faultOfContact(contact, instance.id, world),
    chat === null ? null : faultOfChat('chat', chat, instance.id, world),
    group === null ? null : faultOfChat('group', group, instance.id, world),
  ].filter((fault) => fault !== null);
  faults.push(...checkThread(driver, threadId));
  if (!MESSAGE_TYPES.includes(type as MessageType)) return faults;
  const sending = checkMessage(driver.capabilities(settings), {
    type: type as MessageType,
    text: null,
    textPointer: '/template',
    file: null,
    subject: hasSubject ? '' : null,
    hasThread: threadId !== null,
    replies: false,
    mentions: false,
    forms: false,
  });
  return [...faults, ...sending];
}

/** @returns the problems with sending to each recipient; pointers are its fields */
export async function checkRecipients(
  db: Db,
  drivers: Drivers,
  workspaceId: string,
  recipients: readonly Recipient[],
): Promise<FieldError[][]> {
  const world = await readWorld(db, workspaceId, recipients);
  return recipients.map((recipient) => faultsOfPlace(recipient, world, drivers));
}
