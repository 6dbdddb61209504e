/** Validates group input of callers against the channel: participants and supported operations. */
import type { Unit } from '../../../core/unit/unit-of-work.ts';
import { toUuid } from '../../../core/vocabulary/ids.ts';
import { type FieldError, invalid } from '../../../platform/http/problem.ts';
import type { Capabilities, ChannelOperation } from '../../../channels/contract/capabilities.ts';
import type { GroupSettings } from '../../../channels/contract/connection.ts';
import { type AddressDeps, toChannelAddress } from '../contacts/contact-input.ts';
import { addressesOfContacts, mediaById, type SendingInstance } from '../records/sending-instance.store.ts';
import { checkOperation } from '../records/capability-check.ts';
import { noSuch, toFieldProblem } from '../records/message-problems.ts';
import type { GroupSettingsBody, ParticipantInputBody } from './group.schema.ts';
import { addressesAmong } from '../records/participant.store.ts';

const SETTINGS = [
  ['announce_only', 'announceOnly', 'group_announce_only'],
  ['locked', 'locked', 'group_locked'],
  ['members_only', 'membersOnly', 'group_members_only'],
] as const;

/** Converts settings for drivers; omitted ones stay unchanged. */
export const getSettings = (body: GroupSettingsBody | undefined): Partial<GroupSettings> =>
  Object.fromEntries(
    SETTINGS.flatMap(([name, inDriver]) => (body?.[name] === undefined ? [] : [[inDriver, body[name]]])),
  );

interface Wanted {
  description?: string | null;
  settings?: GroupSettingsBody;
  picture?: unknown;
}

/**
 * Rejects settings that the channel lacks. For a new group, default values are accepted.
 * @throws Problem unsupported_by_channel with all field errors
 */
export function assertSupported(capabilities: Capabilities, wanted: Wanted, isNew: boolean): void {
  const given = (value: unknown): boolean =>
    value !== undefined && !(isNew && (value === null || value === false || value === ''));
  const needed: (readonly [boolean, ChannelOperation, string])[] = [
    [true, 'groups', ''],
    [isNew, 'group_create', ''],
    [given(wanted.description), 'group_description', '/description'],
    [given(wanted.picture), 'group_picture', '/picture'],
    ...SETTINGS.map(
      ([name, , operation]) => [given(wanted.settings?.[name]), operation, `/settings/${name}`] as const,
    ),
  ];
  const faults = needed.flatMap(([isNeeded, operation, pointer]) =>
    isNeeded ? (checkOperation(capabilities, operation, pointer) ?? []) : [],
  );
  if (faults.length)
    throw toFieldProblem(faults.some(({ pointer }) => pointer === '') ? faults.slice(0, 1) : faults);
}

/** @throws Problem unsupported_by_channel */
export function assertCan(capabilities: Capabilities, ...operations: ChannelOperation[]): void {
  for (const operation of operations) {
    const fault = checkOperation(capabilities, operation, '');
    if (fault) throw toFieldProblem([fault]);
  }
}

/** @throws Problem unsupported_by_channel */
export function assertCount({ limits }: Capabilities, count: number): void {
  if (limits.groupMembers === null || count <= limits.groupMembers) return;
  const detail = `the channel's groups have at most ${limits.groupMembers} members (limits.group_members)`;
  throw toFieldProblem([{ pointer: '/participants', code: 'unsupported_by_channel', detail }]);
}

/**
 * Normalizes participants with the channel, in order, without duplicates.
 * @param groupId group whose participants may also be named as displayed, because some have no address
 * @throws Problem invalid_request, not_found, invalid_address, unprocessable, each with all field errors
 */
export async function getParticipants(
  unit: Unit,
  deps: AddressDeps,
  workspaceId: string,
  instance: SendingInstance,
  given: readonly ParticipantInputBody[],
  groupId: string | null = null,
): Promise<string[]> {
  const at = (nth: number, name: string): string => `/participants/${nth}/${name}`;
  const unclear = given.flatMap((one, nth) =>
    (one.address === undefined) === (one.contact_id === undefined)
      ? [{ pointer: `/participants/${nth}`, code: 'ambiguous', detail: 'give either address or contact_id' }]
      : [],
  );
  if (unclear.length) throw invalid(unclear);
  const instanceId = instance.id;
  const ids = given.map((one) => (one.contact_id === undefined ? null : toUuid('contact', one.contact_id)!));
  const contacts = await addressesOfContacts(
    unit.db,
    workspaceId,
    ids.flatMap((contactId) => (contactId === null ? [] : [{ contactId, instanceId }])),
  );
  const named = given.flatMap(({ address }) => address ?? []);
  const shown =
    groupId === null ? new Set<string>() : await addressesAmong(unit.db, workspaceId, groupId, named);
  const faults: FieldError[] = [];
  const found = new Set<string>();
  for (const [nth, { address }] of given.entries()) {
    const contact = address === undefined ? contacts.get(`${instanceId} ${ids[nth]}`) : undefined;
    if (address === undefined && !contact?.exists) throw noSuch('contact', at(nth, 'contact_id'));
    const one = contact
      ? contact.address
      : shown.has(address!)
        ? address!
        : toChannelAddress(deps, instance, address!);
    if (one === null) {
      const detail = 'the contact has no address on this instance';
      faults.push({ pointer: at(nth, 'contact_id'), code: 'no_address', detail });
    } else if (typeof one !== 'string')
      faults.push({ pointer: at(nth, 'address'), code: 'invalid_address', detail: one.message });
    else found.add(one);
  }
  if (faults.length) throw toFieldProblem(faults);
  return [...found];
}

/** Returns the picture that a caller specified. @throws Problem not_found, unprocessable */
export async function getPicture(unit: Unit, workspaceId: string, mediaId: string): Promise<string> {
  const id = toUuid('media', mediaId)!;
  const pointer = '/picture/media_id';
  const media = (await mediaById(unit.db, workspaceId, [id])).get(id);
  if (!media) throw noSuch('media', pointer);
  const fault =
    media.state !== 'ready'
      ? { code: 'media_not_ready', detail: `the file is ${media.state}` }
      : media.mime_type!.startsWith('image/')
        ? null
        : { code: 'no_image', detail: `the file must be an image, and is ${media.mime_type}` };
  if (fault) throw toFieldProblem([{ pointer, ...fault }]);
  return id;
}
