/** Message templates of an instance. */
import { type Operation, operation } from '../../../core/api/operation.ts';
import { requireUuid } from '../../../core/vocabulary/ids.ts';
import { getPage } from '../../../platform/http/pagination.ts';
import { IdParams } from '../../../core/api/id-schema.ts';
import { toListSchema } from '../../../platform/http/schema.ts';
import { MessageTemplate, TemplateListQuery } from './template.schema.ts';
import { listTemplates } from './template.service.ts';

export const templateOperations = (): Operation[] => [
  operation(
    {
      id: 'instances.templates',
      method: 'GET',
      path: '/instances/{id}/templates',
      tag: 'Instances',
      summary: "List an instance's message templates",
      description:
        'Returns the message templates of the account, as the channel last listed them. They are synchronized when the instance connects, and afterwards regularly. The list is empty on channels without templates.',
      access: 'instances:read',
      params: IdParams('instance'),
      query: TemplateListQuery,
      success: { status: 200, description: 'A page of templates.', schema: toListSchema(MessageTemplate) },
    },
    async ({ actor, params, query, unit }) => ({
      body: await listTemplates(
        unit,
        actor.workspaceId,
        requireUuid('instance', params.id),
        getPage(query),
        query,
      ),
    }),
  ),
];
