/** Pictures of groups: files from the channel, and those that callers chose. */
import type { Unit } from '../../../core/unit/unit-of-work.ts';
import { publicId } from '../../../core/vocabulary/ids.ts';
import type { GroupAbout } from '../../../channels/contract/connection.ts';
import type { InboundFiles } from '../media/inbound-files.ts';
import { channelKey } from '../records/channel-key.ts';
import { getPictureKey } from './group-about.ts';
import { type GroupContext, getOwnAddress } from './group-tell.ts';
import { deletePicture, type GroupColumns, type GroupRow, pendingPicture } from './group.store.ts';

export interface GroupApplyDeps {
  /** Stores pictures, or has them fetched. */
  files: Pick<InboundFiles, 'keep'>;
}

type Before = Pick<GroupRow, 'picture_id' | 'picture_url' | 'has_picture'> & { chat_id: string | null };
type Told = NonNullable<GroupAbout['picture']>;

/** Returns the caller's own file if the channel reports the picture that is currently being set from it. */
async function ownFile(
  unit: Unit,
  context: GroupContext,
  { chat_id: chatId }: Before,
  details: Told,
  by: string | null,
): Promise<string | null> {
  const pending = chatId === null ? null : await pendingPicture(unit.db, context.workspaceId, chatId);
  if (!pending) return null;
  const isSame = 'received' in details && details.received.sha256 === pending.sha256;
  return isSame || (by !== null && channelKey(by) === (await getOwnAddress(unit, context)))
    ? pending.id
    : null;
}

/** Returns the new picture columns; empty if the picture is unchanged. */
export async function pictureColumns(
  unit: Unit,
  { files }: GroupApplyDeps,
  context: GroupContext,
  before: Before,
  { about, pictureId, by }: { about?: Partial<GroupAbout>; pictureId?: string | null; by: string | null },
): Promise<GroupColumns> {
  const told = about?.picture;
  if (pictureId === null) return before.picture_id === null ? {} : { picture_id: null, picture_url: null };
  const key = told === undefined ? before.picture_url : getPictureKey(told);
  if (pictureId !== undefined)
    return pictureId === before.picture_id && key === before.picture_url
      ? {}
      : { picture_id: pictureId, picture_url: key };
  if (told === undefined) return {};
  // The file may have been deleted by a user or by retention.
  if (key === before.picture_url && (key === null || before.has_picture)) return {};
  if (told === null || key === null) return { picture_id: null, picture_url: null };
  const own = await ownFile(unit, context, before, told, by);
  if (own !== null) return { picture_id: own, picture_url: key };
  const kept = await files.keep(unit, context, 'url' in told ? { ...told, fileName: null } : told);
  // The workspace has no space for it, so there is no picture.
  if (!kept) return before.picture_id === null ? {} : { picture_id: null, picture_url: null };
  return { picture_id: kept.id, picture_url: key };
}

/** Deletes the file of a picture from the channel if nothing shows it any more. A caller's file is never deleted. */
export async function dropPicture(
  unit: Unit,
  { workspaceId, instanceId }: { workspaceId: string; instanceId: string },
  mediaId: string,
): Promise<void> {
  const sha256 = await deletePicture(unit.db, workspaceId, mediaId, publicId('instance', instanceId));
  if (sha256) await unit.jobs.enqueue(unit.db, 'media.collect', { workspaceId, sha256 });
}
