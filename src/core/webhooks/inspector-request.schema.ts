/** The schema of a request received by an inspector. */
import Type, { type Static } from 'typebox';
import { createdFilters, Enum, ListQuery, Nullable, Strict, Timestamp } from '../../platform/http/schema.ts';
import { exampleId, Id, objectFields } from '../api/id-schema.ts';

export const SOURCES = ['http', 'delivery'] as const;
export const SIGNATURES = ['absent', 'unchecked', 'valid', 'invalid'] as const;

const Source = Enum(SOURCES, {
  description:
    '`delivery` if a webhook of this server delivered it, `http` if it was received over the network.',
  examples: ['delivery'],
});

/** Without query, headers and body: light enough to be asked for each second. */
export const InspectorRequestSummary = Type.Object(
  {
    ...objectFields('inspector_request', 'inspector_request'),
    inspector_id: Id('inspector'),
    number: Type.Integer({
      description: 'Number of the request, starting with 1, without gaps.',
      examples: [12],
    }),
    source: Source,
    method: Type.String({ description: 'The HTTP method.', examples: ['POST'] }),
    path: Type.String({
      description: 'The path after the token, exactly as sent; empty if there is none.',
      examples: ['/orders'],
    }),
    content_type: Nullable(Type.String(), {
      description: 'The `Content-Type` header.',
      examples: ['application/json'],
    }),
    size: Type.Integer({ description: 'Size of the body in bytes.', examples: [512] }),
    truncated: Type.Boolean({
      description: 'Whether the body was truncated to 256 KiB.',
      examples: [false],
    }),
    remote_address: Nullable(Type.String(), {
      description: 'IP address of the sender; null for a delivery within the server.',
      examples: ['203.0.113.7'],
    }),
    webhook_id: Nullable(Id('webhook'), {
      description: 'ID of the webhook of this workspace that delivered it.',
    }),
    event_type: Nullable(Type.String(), {
      description: 'Type of the delivered event.',
      examples: ['link.created'],
    }),
    signature: Enum(SIGNATURES, {
      description:
        "Result of the Standard Webhooks signature check. Only signatures of this workspace's webhooks can be verified; others are `unchecked`.",
      examples: ['valid'],
    }),
    answered: Type.Object(
      {
        status: Type.Integer({ description: 'The status.', examples: [200] }),
        delay_ms: Type.Integer({ description: 'Delay before the response, in milliseconds.', examples: [0] }),
      },
      {
        description:
          'The configured response at that time. A sender that disconnected during the delay did not receive it.',
      },
    ),
    created_at: Timestamp('When the request was received.'),
  },
  { title: 'InspectorRequestSummary' },
);

export const InspectorRequest = Type.Object(
  {
    ...InspectorRequestSummary.properties,
    query: Nullable(Type.String(), {
      description: 'The query string, exactly as sent, without the question mark.',
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
      description: "Whether the body is hidden because your scopes don't let you read the event.",
      examples: [false],
    }),
    body_encoding: Enum(['utf8', 'base64'], {
      description: '`base64` if the body is not valid UTF-8.',
      examples: ['utf8'],
    }),
  },
  { title: 'InspectorRequest' },
);

export const InspectorRequestParams = Strict({
  id: Type.String({
    maxLength: 100,
    description: 'ID of the inspector.',
    examples: [exampleId('inspector')],
  }),
  request_id: Type.String({
    maxLength: 100,
    description: 'ID of the inspector request.',
    examples: [exampleId('inspector_request')],
  }),
});

export const InspectorRequestList = ListQuery({
  after: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description:
        'Only requests with a higher `number`. To follow requests live, pass the highest number that you have.',
      examples: [0],
    }),
  ),
  source: Type.Optional(Source),
  ...createdFilters,
});

export type InspectorRequestSummaryObject = Static<typeof InspectorRequestSummary>;
export type InspectorRequestObject = Static<typeof InspectorRequest>;
