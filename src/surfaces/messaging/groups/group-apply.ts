/**
 * Applies channel signals and results of group operations to groups. Only differences from the stored state are written
 * and reported by events, so repeated signals, or a signal plus a result, have no effect.
 *
 * Lock order: `instance_queues` (locked by the caller), the group's row, its chat's.
 */
import { timeOfUuid } from '../../../platform/db/uuid-time.ts';
import type { Unit } from '../../../core/unit/unit-of-work.ts';
import type { GroupMembership, GroupSignal } from '../../../channels/contract/signal.ts';
import { channelKey } from '../records/channel-key.ts';
import { getChangedColumns, toNewGroupText } from './group-about.ts';
import { chatOfGroup, retitleChat } from './group-chat.ts';
import { type GroupContext, getOwnAddress, writeGroupEvents, type GroupDetails } from './group-tell.ts';
import * as store from './group.store.ts';
import { getDifference, type ParticipantChange } from './participant-changes.ts';
import * as people from '../records/participant.store.ts';
import { dropPicture, type GroupApplyDeps, pictureColumns } from './picture.ts';

export interface GroupNews extends Pick<
  GroupSignal,
  'key' | 'address' | 'membership' | 'about' | 'participants' | 'by'
> {
  /** Set if the account created or joined the group at a caller's request. */
  asked?: { id: string; metadata: Record<string, string>; createdBy: string; isCreated: boolean };
  /** The file that a caller set as the picture; null to remove it. */
  pictureId?: string | null;
  /** Reasons for participants that are only reported as gone. */
  why?: ReadonlyMap<string, 'removed' | 'banned'>;
}

async function insertGroup(
  unit: Unit,
  deps: GroupApplyDeps,
  context: GroupContext,
  news: GroupNews,
): Promise<{ id: string; details: GroupDetails }> {
  const { workspaceId, instanceId } = context;
  const { asked, about = {} } = news;
  const words = toNewGroupText(about);
  const key = channelKey(news.key);
  const chatId = await chatOfGroup(unit, context, { key, address: news.address, subject: words.subject });
  const id = asked?.id ?? unit.newUuid();
  const none = { picture_id: null, picture_url: null, has_picture: false, chat_id: null };
  const picture = await pictureColumns(unit, deps, context, none, news);
  await store.insertGroup(unit.db, workspaceId, {
    id,
    instance_id: instanceId,
    key,
    chat_id: chatId,
    ...words,
    picture_id: picture.picture_id ?? null,
    picture_url: picture.picture_url ?? null,
    membership: 'joined',
    metadata: asked?.metadata ?? {},
    created_by: asked?.createdBy ?? null,
    created_at: timeOfUuid(id),
  });
  return { id, details: asked?.isCreated ? { created: true } : { joined: true } };
}

/** The columns in which a group differs from a signal. */
async function toColumns(
  unit: Unit,
  deps: GroupApplyDeps,
  context: GroupContext,
  before: store.GroupRow,
  news: GroupNews,
): Promise<{ columns: store.GroupColumns; details: GroupDetails }> {
  const { membership = before.membership, about = {}, asked } = news;
  const columns: store.GroupColumns = {
    ...getChangedColumns(before, about),
    ...(await pictureColumns(unit, deps, context, before, news)),
    ...(membership === before.membership ? {} : { membership }),
    ...(asked && before.created_by === null ? { created_by: asked.createdBy } : {}),
    ...(asked && Object.keys(asked.metadata).length ? { metadata: asked.metadata } : {}),
  };
  const details: GroupDetails = {
    ...(asked?.isCreated && before.created_by === null ? { created: true } : {}),
    ...(membership === before.membership
      ? {}
      : membership === 'joined'
        ? { joined: true }
        : { left: membership as GroupMembership }),
  };
  return { columns, details };
}

/** Writes the participants. @returns null if nothing changed */
async function writeParticipants(
  unit: Unit,
  { workspaceId, instanceId }: GroupContext,
  groupId: string,
  news: GroupNews,
  leaver: string | null,
): Promise<{ count: number; changes: readonly ParticipantChange[] } | null> {
  const told = news.participants ?? (leaver === null ? null : { changed: [] });
  if (!told) return null;
  const known = await people.readParticipants(unit.db, workspaceId, groupId);
  const all =
    leaver === null || 'all' in told
      ? told
      : { changed: [...told.changed, { address: leaver, role: null, gone: 'left' as const }] };
  const { put, gone, changes, count } = getDifference(known, all, news.why);
  if (!put.length && !gone.length) return null;
  await people.removeParticipants(unit.db, workspaceId, groupId, gone);
  await people.upsertParticipants(unit.db, workspaceId, { instanceId, groupId }, put, unit.clock());
  return { count, changes };
}

/** @param before the locked row. @returns the group afterwards; undefined if it should not be stored */
async function applyOne(
  unit: Unit,
  deps: GroupApplyDeps,
  context: GroupContext,
  before: store.GroupRow | undefined,
  news: GroupNews,
): Promise<store.GroupRow | undefined> {
  const { workspaceId } = context;
  // The account has left this group, which is not stored.
  if (!before && (news.membership ?? 'joined') !== 'joined') return undefined;
  const { id, details, columns } = before
    ? { id: before.id, ...(await toColumns(unit, deps, context, before, news)) }
    : { ...(await insertGroup(unit, deps, context, news)), columns: {} as store.GroupColumns };
  const leaver = details.left ? await getOwnAddress(unit, context) : null;
  const difference = await writeParticipants(unit, context, id, news, leaver);
  if (difference) {
    columns.participants = difference.count;
    details.changes = difference.changes;
  }
  if (before && !Object.keys(columns).length) return before;
  if (Object.keys(columns).length) await store.updateGroup(unit.db, workspaceId, id, columns, unit.clock());
  if (before && columns.subject !== undefined)
    await retitleChat(unit, workspaceId, before.chat_id, before.subject, columns.subject);
  if (before?.picture_id && columns.picture_id !== undefined && columns.picture_id !== before.picture_id)
    await dropPicture(unit, context, before.picture_id);
  const after = (await store.getGroup(unit.db, workspaceId, id))!;
  const by = news.by === null ? null : channelKey(news.by);
  await writeGroupEvents(unit, context, before, after, { by, details });
  return after;
}

/**
 * Applies changes to groups of one instance, in order.
 * @returns each group afterwards; undefined for an unknown group that the account is not in
 */
export async function applyGroups(
  unit: Unit,
  deps: GroupApplyDeps,
  context: GroupContext,
  all: readonly GroupNews[],
): Promise<(store.GroupRow | undefined)[]> {
  const keys = [...new Set(all.map(({ key }) => channelKey(key)))];
  const known = await store.lockGroupsByKey(unit.db, context.workspaceId, context.instanceId, keys);
  const after: (store.GroupRow | undefined)[] = [];
  for (const news of all) {
    const key = channelKey(news.key);
    const row = await applyOne(unit, deps, context, known.get(key), news);
    if (row) known.set(key, row);
    after.push(row);
  }
  return after;
}
