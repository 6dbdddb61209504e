/** Files: uploads with progress, and metadata. */
import { readQuery } from './read.ts';
import { get } from './call.ts';
import type { Media } from './types.ts';
import { upload } from './upload.ts';

/** The API's own bound for an upload. */
export const MAX_UPLOAD_BYTES = 64 * 1024 * 1024;

/** Maximum size of a picture that is shown without a thumbnail. */
const SMALL_BYTES = 64 * 1024;

export const POLL_MS = 1500;
/** A signed address holds an hour at least. */
export const FRESH_MS = 40 * 60_000;

/** Asked for again while it is being fetched. */
export const mediaQuery = (workspaceId: string, id: string) =>
  readQuery(['ws', workspaceId, 'media', id], workspaceId, get('/media/{id}', { path: { id } }), {
    staleTime: ({ state: { data } }) => (data?.state === 'pending' ? 0 : FRESH_MS),
    refetchInterval: ({ state: { data } }) => (data?.state === 'pending' ? POLL_MS : FRESH_MS),
  });

/**
 * Returns the path of a file for this page. Browsers send no workspace header when they load pictures or videos, so it
 * is the signed URL, relative to the console's own origin.
 */
export const contentPath = ({ url }: Media): string | null => (url === null ? null : new URL(url).pathname);

/** Where this page gets a small version of a picture, as `contentPath`; null for other files. */
export const thumbnailPath = ({ thumbnail_url: url }: Media): string | null =>
  url === null ? null : new URL(url).pathname;

/** As `thumbnailPath`; the picture itself where that is small, or moves. */
export const picturePath = (media: Media): string | null =>
  (media.size ?? 0) < SMALL_BYTES || media.mime_type === 'image/gif'
    ? contentPath(media)
    : thumbnailPath(media);

/** @param onProgress from 0 to 1. @throws ApiProblem */
export const uploadMedia = (
  workspaceId: string,
  file: File,
  onProgress: (part: number) => void,
  signal: AbortSignal,
): Promise<Media> => upload<Media>(workspaceId, '/media', file, onProgress, signal);
