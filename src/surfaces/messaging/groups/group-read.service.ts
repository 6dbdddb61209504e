/** Reads groups and their participants. */
import type { ReadUnit } from '../../../core/unit/unit-of-work.ts';
import { publicId, toUuid } from '../../../core/vocabulary/ids.ts';
import type { WithVersion } from '../../../platform/http/etag.ts';
import { type List, toList, getPage } from '../../../platform/http/pagination.ts';
import { invalid, notFound } from '../../../platform/http/problem.ts';
import type { Json } from '../../../channels/contract/json.ts';
import { type AddressDeps, toChannelAddress } from '../contacts/contact-input.ts';
import { readContacts, resolveId } from '../contacts/contact.store.ts';
import { getDriver } from '../instances/instance-input.ts';
import { instancesById } from '../records/sending-instance.store.ts';
import { assertCan } from './group-input.ts';
import { type GroupFilter, listGroups as listRows } from './group-list.store.ts';
import { presentGroup, presentParticipant } from './group-present.ts';
import type {
  GroupObject,
  GroupParticipantObject,
  ListGroupsQuery,
  ListParticipantsQuery,
} from './group.schema.ts';
import { assertJoined } from './group.service.ts';
import * as store from './group.store.ts';

type Identities = NonNullable<GroupFilter['identities']>;

/**
 * Returns the identities of a participant filter; an ID or address that cannot exist matches nobody.
 * @throws Problem invalid_request
 */
async function getIdentities(
  unit: ReadUnit,
  deps: AddressDeps,
  workspaceId: string,
  { contact_id: contactId, address, instance_id: instanceId }: ListGroupsQuery,
): Promise<Identities | undefined> {
  if (contactId !== undefined && address !== undefined)
    throw invalid([{ pointer: '?address', code: 'ambiguous', detail: 'give either address or contact_id' }]);
  if (contactId !== undefined) {
    const id = await resolveId(unit.db, workspaceId, toUuid('contact', contactId)!);
    return (await readContacts(unit.db, workspaceId, [id]))[0]?.identities ?? [];
  }
  if (address === undefined) return undefined;
  if (instanceId === undefined)
    throw invalid([
      {
        pointer: '?address',
        code: 'incomplete',
        detail: 'instance_id is required, because addresses belong to an instance',
      },
    ]);
  const id = toUuid('instance', instanceId)!;
  const instance = (await instancesById(unit.db, workspaceId, [id])).get(id);
  if (!instance) return [];
  const found = toChannelAddress(deps, instance, address);
  // Participants without an address are identified as displayed by the group.
  const written = typeof found === 'string' ? [found, address] : [address];
  return [...new Set(written)].map((one) => ({ instance_id: id, address: one }));
}

/** @throws Problem invalid_cursor, invalid_request */
export async function listGroups(
  unit: ReadUnit,
  deps: AddressDeps,
  workspaceId: string,
  query: ListGroupsQuery,
): Promise<List<GroupObject>> {
  const page = getPage(query);
  const { rows, windowEnd } = await listRows(unit.db, workspaceId, page, {
    instanceId: query.instance_id === undefined ? undefined : toUuid('instance', query.instance_id)!,
    membership: query.membership,
    text: query.search ?? query.q,
    identities: await getIdentities(unit, deps, workspaceId, query),
    createdAfter: query.created_after,
    createdBefore: query.created_before,
  });
  return toList(rows, page, ({ id }) => id, presentGroup, windowEnd);
}

/** @throws Problem not_found */
export async function getGroup(
  unit: ReadUnit,
  workspaceId: string,
  id: string,
): Promise<WithVersion<{ group: GroupObject }>> {
  const row = await store.getGroup(unit.db, workspaceId, id);
  if (!row) throw notFound('group');
  return { group: presentGroup(row), version: row.version };
}

const PLACE = /^([0-2])\.([\w-]+)$/;
const getKey = ({ rank, address }: store.ParticipantCursor): string =>
  `${rank}.${Buffer.from(address).toString('base64url')}`;

const isPlace = (key: string): boolean => {
  const match = PLACE.exec(key);
  return match !== null && !Buffer.from(match[2]!, 'base64url').includes(0);
};

function getLocation(key: string | null): store.ParticipantCursor | null {
  if (key === null) return null;
  const [, rank, address] = PLACE.exec(key)!;
  return { rank: Number(rank), address: Buffer.from(address!, 'base64url').toString() };
}

/** @throws Problem not_found, invalid_cursor */
export async function listParticipants(
  unit: ReadUnit,
  workspaceId: string,
  id: string,
  query: ListParticipantsQuery,
): Promise<List<GroupParticipantObject>> {
  const page = getPage(query, isPlace);
  if (!(await store.getGroup(unit.db, workspaceId, id))) throw notFound('group');
  const place = { after: getLocation(page.after), limit: page.limit, role: query.role };
  const rows = await store.listParticipants(unit.db, workspaceId, id, place);
  return toList(rows, page, getKey, presentParticipant);
}

/** @throws Problem not_found, unsupported_by_channel, not_in_group */
export async function getInvite(unit: ReadUnit, { drivers }: AddressDeps, workspaceId: string, id: string) {
  const row = await store.getGroup(unit.db, workspaceId, id);
  if (!row) throw notFound('group');
  const instance = (await instancesById(unit.db, workspaceId, [row.instance_id])).get(row.instance_id);
  if (!instance) throw notFound('group');
  assertCan(getDriver(drivers, instance.channel).capabilities(instance.settings as Json), 'group_invite');
  assertJoined(row);
  return { object: 'group_invite' as const, group_id: publicId('group', row.id), url: row.invite_url };
}
