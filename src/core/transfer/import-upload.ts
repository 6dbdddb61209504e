/** Common parts of the operations that import a file: as the body, as a part of a form, or by its media_id. */
import type { WorkspaceActor } from '../auth/actor.ts';
import { mayDo } from '../vocabulary/scopes.ts';
import type { ReadUnit, Unit } from '../unit/unit-of-work.ts';
import { Id } from '../api/id-schema.ts';
import { Strict } from '../../platform/http/schema.ts';
import { toUuid } from '../vocabulary/ids.ts';
import { Problem } from '../../platform/http/problem.ts';
import type { Upload, UploadForm } from '../../platform/http/upload.ts';
import { type ImportFiles, MAX_IMPORTED_BYTES } from './import-files.ts';

export const ImportByMedia = Strict({
  media_id: Id('media', 'A CSV file among your media.'),
});

/** The file is all that the form has. */
const ImportFields = Strict({});

export const importForm = (files: ImportFiles): UploadForm => ({
  fields: ImportFields,
  raw: ['text/csv'],
  maxBytes: MAX_IMPORTED_BYTES,
  sink: (stream, announced) => files.receive(stream, announced),
});

/** The file of an import, and whether it goes with its job. */
export interface ImportedFile {
  id: string;
  isOwn: boolean;
}

/**
 * Returns the file to import. A media file requires `media:read`, because the import reveals its content.
 * @param fileName default if the sender gives none @throws Problem insufficient_scope, not_found, conflict,
 * invalid_request
 */
export async function takeFile(
  unit: Unit,
  files: ImportFiles,
  actor: WorkspaceActor,
  { upload, mediaId, fileName }: { upload: Upload | null; mediaId: string | undefined; fileName: string },
): Promise<ImportedFile> {
  if (upload) return { id: await files.keep(unit, actor, upload, fileName), isOwn: true };
  if (!mayDo(actor.scopes, 'media:read'))
    throw new Problem('insufficient_scope', 'Importing a file by its media_id also requires media:read.');
  const id = toUuid('media', mediaId!)!;
  await files.open(unit, actor.workspaceId, id).catch((error: unknown) => {
    if (!(error instanceof Problem) || error.code !== 'not_found') throw error;
    const detail = 'The media does not exist in this workspace.';
    throw new Problem('not_found', detail, { errors: [{ pointer: '/media_id', code: 'not_found', detail }] });
  });
  return { id, isOwn: false };
}

/** Stores the upload for `prepare`, which may take as long as sending the file. */
export async function storeUpload(
  unit: ReadUnit,
  files: ImportFiles,
  workspaceId: string,
  upload: Upload | null,
): Promise<void> {
  if (upload) await files.bring(unit, upload.file, workspaceId);
}
