/**
 * Operations on media. A `ready` row always has its file: the file is stored durably within the transaction that sets
 * the state, and removed by a later one that has checked that no row refers to it.
 *
 *     pending ──▶ ready        an upload is ready from the start
 *        └──────▶ failed
 */
import type { WorkspaceActor } from '../../../core/auth/actor.ts';
import type { SecretBox } from '../../../platform/crypto/secret-box.ts';
import type { Unit, ReadUnit } from '../../../core/unit/unit-of-work.ts';
import type { Quotas } from '../../../core/workspaces/quota.ts';
import { assertMatches, type IfMatch, type WithVersion } from '../../../platform/http/etag.ts';
import { publicId } from '../../../core/vocabulary/ids.ts';
import { type List, toList, type Page } from '../../../platform/http/pagination.ts';
import { invalid, notFound, Problem } from '../../../platform/http/problem.ts';
import { mayRemoveContents } from './backup-hold.store.ts';
import type { ServedFile } from './content.ts';
import { cleanFileName } from './file-name.ts';
import type { MediaFiles, ReceivedMedia } from './media-files.ts';
import type { MediaObject, MediaState } from './media.schema.ts';
import * as store from './media.store.ts';
import { getType } from './media-type.ts';
import type { MediaUrls } from './media-url.ts';
import { mayHaveThumbnail } from './thumbnails.ts';

export interface MediaServiceDeps {
  files: MediaFiles;
  urls: MediaUrls;
  secrets: SecretBox;
  quotas: Quotas;
}

interface Given {
  file_name?: string;
  metadata?: Record<string, string>;
}

export const sourceContext = (workspaceId: string, id: string): string => `${workspaceId}|media|${id}`;

const getFamily = (mimeType: string): string => mimeType.split('/')[0]!;

/** A file changes only once. */
const VERSIONS: Record<MediaState, number> = { pending: 1, ready: 2, failed: 2 };
const getVersion = (state: string): number => VERSIONS[state as MediaState];

/** The row as the API shows it. */
function presentMedia(row: store.MediaRow, urls: MediaUrls, now: Date): MediaObject {
  const signed = row.state === 'failed' ? null : urls.sign(row.workspace_id, row.id, now);
  return {
    id: publicId('media', row.id),
    object: 'media',
    state: row.state as MediaState,
    mime_type: row.mime_type,
    size: row.size,
    sha256: row.sha256?.toString('hex') ?? null,
    file_name: row.file_name,
    url: signed?.url ?? null,
    thumbnail_url: signed && mayHaveThumbnail(row.mime_type, row.size) ? `${signed.url}/thumbnail` : null,
    url_expires_at: signed?.expiresAt.toISOString() ?? null,
    error: row.error_code === null ? null : { code: row.error_code, detail: row.error_detail ?? '' },
    metadata: row.metadata as Record<string, string>,
    created_by: row.created_by,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

/**
 * Moves a received file into place under the content's lock, which the transaction holds until it ends.
 * @throws Problem quota_exceeded if the workspace has no space for it
 */
async function takeIn(
  unit: Unit,
  quotas: Quotas,
  workspaceId: string,
  file: ReceivedMedia,
  declaredType: string | null,
): Promise<store.Content> {
  const { sha256, size, head } = file;
  const mimeType = await getType(head, declaredType);
  await quotas.check(unit, workspaceId, 'media_bytes', size);
  await store.lockContent(unit.db, workspaceId, sha256.toString('hex'));
  await file.adopt(workspaceId);
  // Checked last, because other transactions of the workspace wait for it. The sweep removes a file that is rejected
  // here.
  await quotas.assert(unit, workspaceId, 'media_bytes', size);
  return { mime_type: mimeType, mime_family: getFamily(mimeType), size, sha256 };
}

/**
 * For `prepare`: moves an upload to where its transaction needs it, if the workspace has space for it.
 * @throws Problem quota_exceeded, unavailable, storage_full
 */
export async function bringUpload(
  unit: ReadUnit,
  { quotas }: Pick<MediaServiceDeps, 'quotas'>,
  workspaceId: string,
  file: ReceivedMedia,
): Promise<void> {
  if (file.size === 0) return;
  await quotas.check(unit, workspaceId, 'media_bytes', file.size);
  await file.bring(workspaceId);
}

/** @throws Problem invalid_request for an empty file, quota_exceeded */
export async function createFromUpload(
  unit: Unit,
  { urls, quotas }: MediaServiceDeps,
  actor: WorkspaceActor,
  upload: { file: ReceivedMedia; fileName: string | null; declaredType: string | null; fields: Given },
): Promise<MediaObject> {
  const { file, fileName, declaredType, fields } = upload;
  if (file.size === 0) throw invalid([{ pointer: '/file', code: 'too_short', detail: 'must not be empty' }]);
  const content = await takeIn(unit, quotas, actor.workspaceId, file, declaredType);
  const now = unit.clock();
  const row = await store.insertMedia(unit.db, actor.workspaceId, {
    id: unit.newUuid(),
    state: 'ready',
    ...content,
    file_name: cleanFileName(fields.file_name ?? fileName),
    metadata: fields.metadata ?? {},
    created_by: actor.id,
    created_at: now,
  });
  return presentMedia(row, urls, now);
}

/**
 * Creates a pending file that a job fetches from a URL.
 * @param options `forMessage`: the file belongs to one message and is deleted with it
 */
export async function createFromUrl(
  unit: Unit,
  { secrets, urls }: Pick<MediaServiceDeps, 'secrets' | 'urls'>,
  actor: Pick<WorkspaceActor, 'workspaceId' | 'id'>,
  { url, file_name: fileName, metadata = {} }: Given & { url: string },
  { forMessage = false }: { forMessage?: boolean } = {},
): Promise<MediaObject> {
  const { workspaceId } = actor;
  const id = unit.newUuid();
  const now = unit.clock();
  const row = await store.insertMedia(unit.db, workspaceId, {
    id,
    state: 'pending',
    source_sealed: secrets.seal(url, sourceContext(workspaceId, id)),
    file_name: cleanFileName(fileName ?? null),
    metadata,
    for_message: forMessage,
    created_by: actor.id,
    created_at: now,
  });
  await unit.jobs.enqueue(unit.db, 'media.fetch', { workspaceId, id, tried: 0 });
  return presentMedia(row, urls, now);
}

/**
 * Makes a pending file ready.
 * @returns false if it is not pending (any more); the received file is then not used
 * @throws Problem quota_exceeded
 */
export async function completeMedia(
  unit: Unit,
  quotas: Quotas,
  workspaceId: string,
  id: string,
  fetched: { file: ReceivedMedia; fileName: string | null; declaredType: string | null },
): Promise<boolean> {
  const row = await store.lockMedia(unit.db, workspaceId, id);
  if (row?.state !== 'pending') return false;
  const content = await takeIn(unit, quotas, workspaceId, fetched.file, fetched.declaredType);
  const change = {
    ...content,
    state: 'ready',
    file_name: row.file_name ?? cleanFileName(fetched.fileName),
    source_sealed: null,
    error_code: null,
    error_detail: null,
  };
  await store.updateMedia(unit.db, workspaceId, id, change, unit.clock());
  return true;
}

export interface MediaError {
  code: string;
  detail: string;
}

/**
 * Stores why an attempt failed; with `isFinal` the file has failed.
 * @param fault null if the last attempt has already stored it
 */
export async function failMedia(
  unit: Unit,
  workspaceId: string,
  id: string,
  fault: MediaError | null,
  isFinal: boolean,
): Promise<void> {
  const row = await store.lockMedia(unit.db, workspaceId, id);
  if (row?.state !== 'pending') return;
  const change = {
    ...(isFinal ? { state: 'failed', source_sealed: null } : {}),
    error_code: fault?.code ?? row.error_code ?? 'failed',
    error_detail: fault?.detail ?? row.error_detail ?? 'It could not be fetched.',
  };
  await store.updateMedia(unit.db, workspaceId, id, change, unit.clock());
}

export async function listMedia(
  unit: ReadUnit,
  { urls }: MediaServiceDeps,
  workspaceId: string,
  page: Page,
  filter: store.MediaFilter,
): Promise<List<MediaObject>> {
  const rows = await store.listMedia(unit.db, workspaceId, page, filter);
  const now = unit.clock();
  return toList(
    rows,
    page,
    ({ id }) => id,
    (row) => presentMedia(row, urls, now),
  );
}

/** @throws Problem not_found */
export async function getMedia(
  unit: ReadUnit,
  { urls }: MediaServiceDeps,
  workspaceId: string,
  id: string,
): Promise<WithVersion<{ media: MediaObject }>> {
  const row = await store.getMedia(unit.db, workspaceId, id);
  if (!row) throw notFound('media');
  return { media: presentMedia(row, urls, unit.clock()), version: getVersion(row.state) };
}

/**
 * Deletes a media object. Its file is deleted with the last row that refers to it.
 * @throws Problem not_found, precondition_failed
 */
export async function deleteMedia(
  unit: Unit,
  workspaceId: string,
  id: string,
  ifMatch: IfMatch,
): Promise<void> {
  const deleted = await store.deleteMedia(unit.db, workspaceId, id);
  if (!deleted) throw notFound('media');
  assertMatches(ifMatch, { version: getVersion(deleted.state) }, 'media object');
  if (deleted.sha256)
    await unit.jobs.enqueue(unit.db, 'media.collect', {
      workspaceId,
      sha256: deleted.sha256.toString('hex'),
    });
}

/**
 * Removes a content's file unless a row refers to it or a backup is running ('held'): then retry, or leave it to the
 * sweep. Call once the deletion of its rows is committed.
 */
export async function collectContent(
  unit: Unit,
  files: MediaFiles,
  workspaceId: string,
  sha256: string,
): Promise<'removed' | 'referred' | 'held'> {
  await store.lockContent(unit.db, workspaceId, sha256);
  if ((await store.referredContents(unit.db, workspaceId, [sha256])).size > 0) return 'referred';
  if (!(await mayRemoveContents(unit.db))) return 'held';
  await files.remove(workspaceId, sha256);
  return 'removed';
}

/**
 * @param readRow reads the current row
 * @throws Problem not_found, conflict if it is not ready
 */
async function openRow(
  files: MediaFiles,
  readRow: () => Promise<store.MediaRow | undefined>,
): Promise<ServedFile> {
  const row = await readRow();
  if (!row) throw notFound('media');
  if (row.state !== 'ready')
    throw new Problem('conflict', `The media has no content because it is ${row.state}.`, {
      headers: row.state === 'pending' ? { 'retry-after': '2' } : {},
    });
  return {
    workspaceId: row.workspace_id,
    size: row.size!,
    sha256: row.sha256!,
    type: row.mime_type!,
    name: row.file_name,
    async read(span) {
      const bytes = await files.read(row.workspace_id, row.sha256!, span);
      if (bytes) return bytes;
      // The file was deleted in the meantime; then its row is gone, too.
      if (!(await readRow())) throw notFound('media');
      throw new Error(`the file of media ${row.id} is missing`);
    },
  };
}

/** @throws Problem not_found, conflict if it is not ready */
export const openMedia = (unit: ReadUnit, files: MediaFiles, workspaceId: string, id: string) =>
  openRow(files, () => store.getMedia(unit.db, workspaceId, id));

/**
 * Opens a file by the token of a signed URL.
 * @throws Problem not_found, media_url_expired, conflict if it is not ready
 */
export async function openByToken(unit: ReadUnit, { files, urls }: MediaServiceDeps, token: string) {
  const said = urls.read(token);
  if (!said) throw new Problem('not_found', 'The file does not exist.');
  if (said.expiresAt <= unit.clock())
    throw new Problem('media_url_expired', 'This URL has expired. Request a new one.');
  return openRow(files, () => store.getMediaForReceiver(unit.db, said.workspaceId, said.id));
}
