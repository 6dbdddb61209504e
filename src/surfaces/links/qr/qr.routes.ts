/** The operation that returns the QR code of a link. */
import { contentDisposition } from '../../../platform/http/content-disposition.ts';
import { requireUuid } from '../../../core/vocabulary/ids.ts';
import { type Operation, operation } from '../../../core/api/operation.ts';
import { SANDBOX } from '../../../platform/http/sandbox.ts';
import { IdParams } from '../../../core/api/id-schema.ts';
import { LinkQrQuery } from './qr.schema.ts';
import { drawLinkQr } from './qr.service.ts';

export const linkQrOperations = ({ baseUrl }: { baseUrl: string }): Operation[] => [
  operation(
    {
      id: 'links.qr',
      method: 'GET',
      path: '/links/{id}/qr',
      tag: 'Links',
      summary: "Get a link's QR code",
      description:
        'Returns the QR code of the short URL as PNG or SVG. It stays valid if the destination changes. Colors with too little contrast and codes that are lighter than their background are rejected.',
      access: 'links:read',
      params: IdParams('link'),
      query: LinkQrQuery,
      binary: true,
      produces: ['image/png', 'image/svg+xml'],
      success: { status: 200, description: 'The image.' },
      errors: ['contrast_too_low', 'code_too_dense'],
    },
    async ({ actor, params, query, unit }) => {
      const id = requireUuid('link', params.id);
      const { body, contentType, fileName } = await drawLinkQr(unit, baseUrl, actor.workspaceId, id, query);
      return {
        body: body as never,
        headers: {
          'content-type': contentType,
          'content-disposition': contentDisposition('inline', fileName),
          'x-content-type-options': 'nosniff',
          'content-security-policy': SANDBOX,
        },
      };
    },
  ),
];
