/** Reads the original sources of messages. */
import type { ReadUnit } from '../../../core/unit/unit-of-work.ts';
import type { WithVersion } from '../../../platform/http/etag.ts';
import { notFound } from '../../../platform/http/problem.ts';
import type { MediaObject } from '../media/media.schema.ts';
import { getMedia, type MediaServiceDeps } from '../media/media.service.ts';
import { getSourceId } from '../records/message-source.store.ts';

/**
 * Returns the media object with the original source of a message.
 * @throws Problem not_found if there is none
 */
export async function getSource(
  unit: ReadUnit,
  deps: MediaServiceDeps,
  workspaceId: string,
  messageId: string,
): Promise<WithVersion<{ media: MediaObject }>> {
  const sourceId = await getSourceId(unit.db, workspaceId, messageId);
  if (sourceId === undefined) throw notFound('message source');
  return getMedia(unit, deps, workspaceId, sourceId);
}
