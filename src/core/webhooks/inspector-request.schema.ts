/** What arrived at an inspector, as the API shows it. */
import Type, { type Static } from 'typebox';
import {
  createdFilters,
  Enum,
  exampleId,
  Id,
  ListQuery,
  Nullable,
  objectFields,
  Strict,
  Timestamp,
} from '../../platform/http/schema.ts';

export const SOURCES = ['http', 'delivery'] as const;
export const SIGNATURES = ['absent', 'unchecked', 'valid', 'invalid'] as const;

const Source = Enum(SOURCES, {
  description:
    '`delivery` where a webhook of this server delivered it, `http` where it came over the network.',
  examples: ['delivery'],
});

/** Without query, headers and body: light enough to be asked for each second. */
export const InspectorRequestSummary = Type.Object(
  {
    ...objectFields('inspector_request', 'inspector_request'),
    inspector_id: Id('inspector'),
    number: Type.Integer({
      description: 'Counts what arrives at the inspector, from 1 and without holes.',
      examples: [12],
    }),
    source: Source,
    method: Type.String({ description: 'The HTTP method.', examples: ['POST'] }),
    path: Type.String({
      description: 'The path beyond the token, as it was sent; empty where there is none.',
      examples: ['/orders'],
    }),
    content_type: Nullable(Type.String(), {
      description: 'The header Content-Type.',
      examples: ['application/json'],
    }),
    size: Type.Integer({ description: 'Bytes that the body had.', examples: [512] }),
    truncated: Type.Boolean({
      description: 'Whether the body was longer than the 256 KiB that are kept.',
      examples: [false],
    }),
    remote_address: Nullable(Type.String(), {
      description: 'Who sent it; null for a delivery, which is handed over within the server.',
      examples: ['203.0.113.7'],
    }),
    webhook_id: Nullable(Id('webhook'), {
      description: 'The webhook of this workspace that delivered it.',
    }),
    event_type: Nullable(Type.String(), {
      description: 'Type of the event that was delivered.',
      examples: ['link.created'],
    }),
    signature: Enum(SIGNATURES, {
      description:
        "Whether it bears a Standard Webhooks signature, and for a delivery of this workspace's webhook whether it is right; others are `unchecked`, since nobody knows their secret.",
      examples: ['valid'],
    }),
    answered: Type.Object(
      {
        status: Type.Integer({ description: 'The status.', examples: [200] }),
        delay_ms: Type.Integer({ description: 'The wait before it.', examples: [0] }),
      },
      { description: 'The answer as it was set then. Who left before the wait was over has not read it.' },
    ),
    created_at: Timestamp('When it arrived.'),
  },
  { title: 'InspectorRequestSummary' },
);

export const InspectorRequest = Type.Object(
  {
    ...InspectorRequestSummary.properties,
    query: Nullable(Type.String(), {
      description: 'The query as it was sent, without its question mark.',
      examples: ['page=2'],
    }),
    headers: Type.Array(
      Type.Object({
        name: Type.String({ description: 'As it was sent.', examples: ['Content-Type'] }),
        value: Type.String({
          description:
            'As it was sent, up to 4,096 characters. `[removed]` replaces API keys and session tokens of this server, credentials of the schemes Basic, Digest, Negotiate and NTLM, and the path of a Referer.',
          examples: ['application/json'],
        }),
      }),
      {
        description:
          'The first 100 headers in order, without cookies and headers of an authenticating proxy. Empty if a browser navigated to the address. Untrusted: show it as text.',
      },
    ),
    body: Nullable(Type.String(), {
      description: 'At most 256 KiB of the body. Untrusted: show it as text. Null if `body_hidden` is set.',
      examples: ['{"test": 2432232314}'],
    }),
    body_hidden: Type.Boolean({
      description: 'Whether it is an event that your scopes do not let you read.',
      examples: [false],
    }),
    body_encoding: Enum(['utf8', 'base64'], {
      description: '`base64` where the body is not UTF-8 text.',
      examples: ['utf8'],
    }),
  },
  { title: 'InspectorRequest' },
);

export const InspectorRequestParams = Strict({
  id: Type.String({
    maxLength: 100,
    description: 'Id of the inspector.',
    examples: [exampleId('inspector')],
  }),
  request_id: Type.String({
    maxLength: 100,
    description: 'Id of the inspector request.',
    examples: [exampleId('inspector_request')],
  }),
});

export const InspectorRequestList = ListQuery({
  after: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'Only those with a higher `number`: give the highest that you have, to follow live.',
      examples: [0],
    }),
  ),
  source: Type.Optional(Source),
  ...createdFilters,
});

export type InspectorRequestSummaryObject = Static<typeof InspectorRequestSummary>;
export type InspectorRequestObject = Static<typeof InspectorRequest>;
