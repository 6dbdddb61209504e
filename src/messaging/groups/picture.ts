/** Files of pictures that groups had. */
import type { Unit } from '../../db/unit.ts';
import { publicId } from '../../http/ids.ts';
import { deletePicture } from './group.store.ts';

/** Deletes the file of a picture that the channel gave, where nothing shows it any more; a caller's file is the caller's. */
export async function dropPicture(
  unit: Unit,
  { workspaceId, instanceId }: { workspaceId: string; instanceId: string },
  mediaId: string,
): Promise<void> {
  const sha256 = await deletePicture(unit.db, workspaceId, mediaId, publicId('instance', instanceId));
  if (sha256) await unit.jobs.enqueue(unit.db, 'media.collect', { workspaceId, sha256 });
}
