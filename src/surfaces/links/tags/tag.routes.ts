/** Operations on tags. */
import { requireUuid } from '../../../core/vocabulary/ids.ts';
import { type Operation, operation } from '../../../core/api/operation.ts';
import { getPage } from '../../../platform/http/pagination.ts';
import { IdParams } from '../../../core/api/id-schema.ts';
import { toListSchema } from '../../../platform/http/schema.ts';
import { CreateTag, Tag, TagList, UpdateTag } from './tag.schema.ts';
import * as service from './tag.service.ts';

export const tagOperations = (): Operation[] => [
  operation(
    {
      id: 'tags.create',
      method: 'POST',
      path: '/tags',
      tag: 'Tags',
      summary: 'Create a tag',
      description: 'Rarely needed: a link that uses the name of a missing tag creates the tag.',
      access: 'links:write',
      body: CreateTag,
      bodyExample: { name: 'newsletter', color: 'teal' },
      success: { status: 201, description: 'The tag.', schema: Tag },
      errors: ['conflict'],
      audit: 'tag',
    },
    async ({ actor, body, unit }) => {
      const { tag, version } = await service.createTag(unit, actor, body);
      return { body: tag, version, created: true, auditDetails: { name: tag.name } };
    },
  ),
  operation(
    {
      id: 'tags.list',
      method: 'GET',
      path: '/tags',
      tag: 'Tags',
      summary: 'List tags',
      access: 'links:read',
      query: TagList,
      success: { status: 200, description: 'A page of tags, newest first.', schema: toListSchema(Tag) },
    },
    async ({ actor, query, unit }) => ({
      body: await service.listTags(unit, actor.workspaceId, getPage(query), {
        search: query.search,
        createdAfter: query.created_after,
        createdBefore: query.created_before,
      }),
    }),
  ),
  operation(
    {
      id: 'tags.get',
      method: 'GET',
      path: '/tags/{id}',
      tag: 'Tags',
      summary: 'Get a tag',
      access: 'links:read',
      params: IdParams('tag'),
      success: { status: 200, description: 'The tag.', schema: Tag },
    },
    async ({ actor, params, unit }) => {
      const { tag, version } = await service.getTag(unit, actor.workspaceId, requireUuid('tag', params.id));
      return { body: tag, version };
    },
  ),
  operation(
    {
      id: 'tags.update',
      method: 'PATCH',
      path: '/tags/{id}',
      tag: 'Tags',
      summary: 'Update a tag',
      description:
        'Omitted fields stay unchanged. Links show a new name immediately. Their versions, and `link.updated` for up to 10,000 of them, follow within seconds.',
      access: 'links:write',
      params: IdParams('tag'),
      body: UpdateTag,
      bodyExample: { name: 'summer', color: 'orange' },
      success: { status: 200, description: 'The updated tag.', schema: Tag },
      errors: ['conflict'],
      events: ['link.updated'],
      audit: 'tag',
    },
    async ({ actor, params, body, unit, ifMatch }) => {
      const id = requireUuid('tag', params.id);
      const { tag, version } = await service.updateTag(unit, actor, id, body, ifMatch);
      return { body: tag, version, auditDetails: { changed: Object.keys(body) } };
    },
  ),
  operation(
    {
      id: 'tags.delete',
      method: 'DELETE',
      path: '/tags/{id}',
      tag: 'Tags',
      summary: 'Delete a tag',
      description:
        'Removes the tag from its links and deletes it. The versions of these links, and `link.updated` for up to 10,000 of them, follow within seconds.',
      access: 'links:write',
      params: IdParams('tag'),
      success: { status: 204, description: 'Deleted.' },
      events: ['link.updated'],
      audit: 'tag',
    },
    async ({ actor, params, unit, ifMatch }) => {
      await service.deleteTag(unit, actor, requireUuid('tag', params.id), ifMatch);
      return { body: undefined };
    },
  ),
];
