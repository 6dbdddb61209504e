/** Operations on media. */
import type { Guard } from '../../../core/auth/guard.ts';
import { requireUuid } from '../../../core/vocabulary/ids.ts';
import { type Operation, operation } from '../../../core/api/operation.ts';
import { getPage } from '../../../platform/http/pagination.ts';
import { IdParams } from '../../../core/api/id-schema.ts';
import { toListSchema } from '../../../platform/http/schema.ts';
import { openAnswer } from '../../../core/api/stream.ts';
import { sendFile } from './content.ts';
import { MAX_BYTES, type ReceivedMedia } from './media-files.ts';
import { CreateMedia, Media, MediaList, UploadFields } from './media.schema.ts';
import * as service from './media.service.ts';

export interface MediaDeps extends service.MediaServiceDeps {
  guard: Guard;
  /** @throws Problem address_not_allowed */
  assertUrlAllowed: (url: string, pointer: string) => Promise<void>;
}

export const mediaOperations = (deps: MediaDeps): Operation[] => [
  operation(
    {
      id: 'media.create',
      method: 'POST',
      path: '/media',
      tag: 'Media',
      summary: 'Create a media object',
      description:
        'Upload a file as `multipart/form-data` with one part `file` (up to 64 MiB) and, optionally, `file_name` and `metadata` (as JSON); the object in the response is `ready`. Or send JSON with a `url`; Fairlead downloads the file after the response.',
      access: 'media:write',
      body: CreateMedia,
      documentedType: 'multipart/form-data',
      upload: {
        fields: UploadFields,
        maxBytes: MAX_BYTES,
        sink: (stream, announced) => deps.files.receive(stream, announced),
      },
      admitUpload: (unit, workspaceId, bytes) => deps.quotas.check(unit, workspaceId, 'media_bytes', bytes),
      success: { status: 201, description: 'The uploaded file.', schema: Media },
      otherSuccess: { status: 202, description: 'The file is being downloaded.', schema: Media },
      errors: ['address_not_allowed', 'quota_exceeded', 'storage_full'],
      audit: 'media',
      secrets: ['url', 'thumbnail_url'],
    },
    async ({ actor, body, unit, upload }) => {
      if (!upload) return deps.assertUrlAllowed(body.url, '/url');
      // Before the file is sent to the store.
      await deps.quotas.check(unit, actor.workspaceId, 'media');
      await service.bringUpload(unit, deps, actor.workspaceId, upload.file as ReceivedMedia);
    },
    async ({ actor, body, unit, upload }) => {
      await deps.quotas.assert(unit, actor.workspaceId, 'media');
      if (!upload)
        return { body: await service.createFromUrl(unit, deps, actor, body), status: 202, created: true };
      // The sink above has made it.
      const received = { ...upload, file: upload.file as ReceivedMedia, fields: upload.fields as object };
      return { body: await service.createFromUpload(unit, deps, actor, received), created: true };
    },
  ),
  operation(
    {
      id: 'media.list',
      method: 'GET',
      path: '/media',
      tag: 'Media',
      summary: 'List media',
      access: 'media:read',
      showsSecrets: true,
      query: MediaList,
      success: { status: 200, description: 'A page of media, newest first.', schema: toListSchema(Media) },
    },
    async ({ actor, query, unit }) => ({
      body: await service.listMedia(unit, deps, actor.workspaceId, getPage(query), {
        type: query.type,
        createdAfter: query.created_after,
        createdBefore: query.created_before,
      }),
    }),
  ),
  operation(
    {
      id: 'media.get',
      method: 'GET',
      path: '/media/{id}',
      tag: 'Media',
      summary: 'Get a media object',
      access: 'media:read',
      showsSecrets: true,
      params: IdParams('media'),
      success: { status: 200, description: 'The file object with a fresh `url`.', schema: Media },
    },
    async ({ actor, params, unit }) => {
      const id = requireUuid('media', params.id);
      const { media, version } = await service.getMedia(unit, deps, actor.workspaceId, id);
      return { body: media, version };
    },
  ),
  operation(
    {
      id: 'media.content',
      method: 'GET',
      path: '/media/{id}/content',
      tag: 'Media',
      summary: 'Download a file',
      description:
        'Returns the content of the file, or a part of it (`Range`, `If-Range`). Browsers display PNG, JPEG, GIF, WebP, audio and video, and download other types.',
      access: 'media:read',
      params: IdParams('media'),
      binary: true,
      success: { status: 200, description: 'The file.' },
      otherSuccess: { status: 206, description: 'The requested range.' },
      errors: ['conflict', 'range_not_satisfiable'],
    },
    async ({ actor, params, unit, request, reply }) => {
      const id = requireUuid('media', params.id);
      const file = await service.openMedia(unit, deps.files, actor.workspaceId, id);
      await sendFile(request, reply, file, {}, (status, headers) =>
        openAnswer(reply, { guard: deps.guard, actor, status, headers }),
      );
      return 'handled' as const;
    },
  ),
  operation(
    {
      id: 'media.delete',
      method: 'DELETE',
      path: '/media/{id}',
      tag: 'Media',
      summary: 'Delete a media object',
      description:
        'Permanently deletes the file object; its `url` stops working. The content is deleted with the last object that refers to it.',
      access: 'media:write',
      params: IdParams('media'),
      success: { status: 204, description: 'Deleted.' },
      audit: 'media',
    },
    async ({ actor, params, unit, ifMatch }) => {
      await service.deleteMedia(unit, actor.workspaceId, requireUuid('media', params.id), ifMatch);
      return { body: undefined };
    },
  ),
];
