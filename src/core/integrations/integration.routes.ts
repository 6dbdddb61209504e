/** Files for other tools. They call the URL by which the reader reached this server. */
import { isLoopbackHost } from '../../platform/config/config.ts';
import { contentDisposition } from '../../platform/http/content-disposition.ts';
import { openApiDocument } from '../api/openapi.ts';
import { type Operation, operation } from '../api/operation.ts';
import { toCompleteList } from '../../platform/http/pagination.ts';
import { toListSchema } from '../../platform/http/schema.ts';
import { Integration, IntegrationFile, IntegrationParams, IntegrationQuery } from './integration.schema.ts';
import { createIntegrationFiles, listIntegrations } from './integration.service.ts';

export interface IntegrationDeps {
  baseUrl: string;
  /** All operations of the API, these too. */
  operations: () => Operation[];
}

export const integrationOperations = ({ baseUrl, operations }: IntegrationDeps): Operation[] => {
  const isLocal = isLoopbackHost(new URL(baseUrl).hostname);
  const getFile = createIntegrationFiles((origin) => openApiDocument(operations(), origin));
  return [
    operation(
      {
        id: 'integrations.list',
        method: 'GET',
        path: '/integrations',
        tag: 'Integrations',
        summary: 'List files for other tools',
        description: 'Returns all files without pagination. Each one explains how to import it.',
        access: 'actor',
        success: { status: 200, description: 'The files.', schema: toListSchema(Integration) },
      },
      () => ({ body: toCompleteList(listIntegrations()) }),
    ),
    operation(
      {
        id: 'integrations.get',
        method: 'GET',
        path: '/integrations/{id}',
        tag: 'Integrations',
        summary: 'Get a file for another tool',
        description:
          'Returns a file that is ready to import. It contains the URL of this server, but no keys or secrets; enter those in the other tool.',
        access: 'actor',
        params: IntegrationParams,
        query: IntegrationQuery,
        success: { status: 200, description: 'The file.', schema: IntegrationFile },
      },
      ({ params, query, request }) => {
        // While BASE_URL is unset, the reader may have come by any loopback name and port.
        const origin = isLocal ? `${request.protocol}://${request.host.toLowerCase()}` : baseUrl;
        const { fileName, content } = getFile(params.id, query.events, origin);
        return {
          body: content,
          headers: { 'content-disposition': contentDisposition('attachment', fileName) },
        };
      },
    ),
  ];
};
