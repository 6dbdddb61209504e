/** The operation that returns the original source of a message. */
import { type Operation, operation } from '../../../core/api/operation.ts';
import { requireUuid } from '../../../core/vocabulary/ids.ts';
import { IdParams } from '../../../core/api/id-schema.ts';
import { Media } from '../media/media.schema.ts';
import type { MediaServiceDeps } from '../media/media.service.ts';
import { getSource } from './message-source.service.ts';

export const messageSource = (deps: MediaServiceDeps): Operation =>
  operation(
    {
      id: 'messages.source',
      method: 'GET',
      path: '/messages/{id}/source',
      tag: 'Messages',
      summary: 'Get the source of a message',
      description:
        "Returns the message as the channel delivered it, such as an email with all its headers (`message/rfc822`). Received emails of up to 64 MiB have a source, unless it didn't fit the workspace's `media_bytes` limit. Other messages have none.",
      access: 'messages:read',
      alsoNeeds: ['media:read'],
      showsSecrets: true,
      params: IdParams('message'),
      success: { status: 200, description: 'The file object with a fresh `url`.', schema: Media },
    },
    async ({ actor, params, unit }) => {
      const id = requireUuid('message', params.id);
      const { media, version } = await getSource(unit, deps, actor.workspaceId, id);
      return { body: media, version };
    },
  );
