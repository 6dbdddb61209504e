/** Media as the place where files lie that are imported. */
import { requireUuid } from '../../../core/vocabulary/ids.ts';
import type { DiskWatch } from '../../../platform/storage/disk-watch.ts';
import type { ImportFiles } from '../../../core/transfer/import-files.ts';
import type { ReceivedMedia } from './media-files.ts';
import {
  bringUpload,
  createFromUpload,
  deleteMedia,
  type MediaServiceDeps,
  openMedia,
} from './media.service.ts';

export const createImportFiles = (
  media: MediaServiceDeps,
  storage: Pick<DiskWatch, 'whenRoom'>,
): ImportFiles => ({
  whenRoom: storage.whenRoom,
  admit: (unit, workspaceId, bytes) => media.quotas.check(unit, workspaceId, 'media_bytes', bytes),
  receive: (stream, announced) => media.files.receive(stream, announced),
  // `receive` has made it.
  bring: (unit, file, workspaceId) => bringUpload(unit, media, workspaceId, file as ReceivedMedia),
  async keep(unit, actor, upload, fileName) {
    const file = upload.file as ReceivedMedia;
    const fields = { file_name: upload.fileName ?? fileName };
    return requireUuid('media', (await createFromUpload(unit, media, actor, { ...upload, file, fields })).id);
  },
  open: (unit, workspaceId, id) => openMedia(unit, media.files, workspaceId, id),
  remove: (unit, workspaceId, id) => deleteMedia(unit, workspaceId, id, null),
});
