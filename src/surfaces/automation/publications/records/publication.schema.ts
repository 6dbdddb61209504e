/** API schemas of publications. */
import Type, { type Static } from 'typebox';
import {
  createdFilters,
  Enum,
  ListQuery,
  Nullable,
  Strict,
  timeFields,
  Timestamp,
} from '../../../../platform/http/schema.ts';
import { Id, objectFields } from '../../../../core/api/id-schema.ts';
import { CANCEL_REASONS, PUBLICATION_STATUSES, RESULT_STATUSES } from './publication-state.ts';

const SOURCES = ['bearer', 'secret_url', 'signature', 'replay'] as const;

const Faults = Type.Array(
  Type.Object({
    pointer: Type.String({
      description: 'JSON pointer into the endpoint.',
      examples: ['/destinations/0/template'],
    }),
    code: Type.String({ description: 'Stable error code.', examples: ['template_failed'] }),
    detail: Type.String({
      description: 'Human-readable explanation.',
      examples: ['undefined filter: upcas'],
    }),
  }),
  { description: 'All errors.' },
);

export const PublicationResult = Type.Object(
  {
    destination: Type.Integer({
      description: 'Zero-based index of the destination in the endpoint.',
      examples: [0],
    }),
    instance_id: Id('instance'),
    to: Nullable(Type.String(), {
      description: 'The recipient; null once that contact is erased.',
      examples: ['alice'],
    }),
    type: Type.String({ description: 'Type of the message.', examples: ['text'] }),
    message_id: Nullable(Id('message'), {
      description:
        'The message of the latest attempt, and the last one if the answer of a model was split; null until a message exists.',
      examples: ['msg_01h2xcejqtf2nbrexx3vqjhp41'],
    }),
    status: Enum(RESULT_STATUSES, {
      description: '`pending` until a message is accepted, then the status of the message.',
      examples: ['sent'],
    }),
    error: Nullable(
      Type.Object({
        code: Type.String({
          description: 'Stable error code.',
          examples: ['instance_disconnected'],
        }),
        detail: Type.String({
          description: 'Human-readable explanation.',
          examples: ['The instance is disconnected.'],
        }),
        retryable: Type.Boolean({ description: 'Whether a retry may succeed.', examples: [true] }),
      }),
      { description: 'Why it failed; null if it did not fail.', examples: [null] },
    ),
    attempts: Type.Integer({ description: 'Number of attempts so far.', examples: [1] }),
    next_attempt_at: Nullable(Timestamp('When the next automatic retry is due.'), { examples: [null] }),
    updated_at: Timestamp('When the result last changed.'),
  },
  { title: 'PublicationResult' },
);

export const Publication = Type.Object(
  {
    ...objectFields('publication', 'publication'),
    endpoint_id: Id('publishing_endpoint'),
    revision: Type.Integer({
      description: 'The revision of the endpoint that it was rendered with.',
      examples: [1],
    }),
    status: Enum(PUBLICATION_STATUSES, {
      description: 'The status of the publication.',
      examples: ['published'],
    }),
    reason: Nullable(Enum(CANCEL_REASONS), {
      description:
        'Why it was canceled: by a `user`, `filtered` out, its endpoint was deleted, or all of its recipients were erased.',
      examples: [null],
    }),
    error: Nullable(
      Type.Object({
        code: Type.String({ description: 'Stable error code.', examples: ['template_failed'] }),
        detail: Type.String({
          description: 'Human-readable explanation.',
          examples: ['1 destination was rejected'],
        }),
        errors: Faults,
      }),
      { description: 'Why it was rejected; null if it was not rejected.', examples: [null] },
    ),
    source: Enum(SOURCES, { description: 'How the sender authenticated.', examples: ['secret_url'] }),
    replay_of: Nullable(Id('publication'), {
      description: 'The publication that it replays.',
      examples: [null],
    }),
    duplicate_of: Nullable(Id('publication'), {
      description: 'The publication that it duplicates.',
      examples: [null],
    }),
    results: Type.Array(PublicationResult, {
      description: 'The result for each destination; empty until it is published.',
    }),
    content_type: Nullable(Type.String(), { description: 'As received.', examples: ['application/json'] }),
    size: Type.Integer({ description: 'Bytes of the body.', examples: [17] }),
    replaced_characters: Type.Integer({
      description:
        'Number of characters in the payload that cannot be stored, NUL and unpaired surrogates. U+FFFD replaces them.',
      examples: [0],
    }),
    scheduled_at: Nullable(Timestamp('When it is published; null for immediately.'), { examples: [null] }),
    finished_at: Nullable(Timestamp('When all of its destinations were completed.')),
    created_by: Type.String({
      description: 'ID of the API key or user; ID of the endpoint if the sender is anonymous.',
      examples: ['pep_01h2xcejqtf2nbrexx3vqjhp41'],
    }),
    ...timeFields,
  },
  { title: 'Publication' },
);

const AnyJson = (description: string, example: unknown) =>
  Type.Unsafe<unknown>({ description, examples: [example] });
const Pairs = (description: string, example: Record<string, string>) =>
  Type.Unsafe<Record<string, string>>({
    type: 'object',
    additionalProperties: { type: 'string' },
    description,
    examples: [example],
  });

/** The template variables of a request; values that look secret are masked when shown. */
export const receivedFields = {
  payload: AnyJson('The received payload, as templates see it. Values that look secret are masked.', {
    title: 'Hello',
  }),
  headers: Pairs('The request headers, without credentials.', { 'user-agent': 'curl/8' }),
  query: Pairs('The query parameters.', {}),
};

/** A single publication has more fields than those in lists and events. */
export const PublicationDetail = Type.Object(
  {
    ...Publication.properties,
    ...receivedFields,
    messages: Type.Array(
      Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true }),
      {
        description: 'The rendered message for each destination, in the form of `POST /messages`.',
        examples: [
          [
            {
              instance_id: 'ins_01h2xcejqtf2nbrexx3vqjhp41',
              to: 'alice',
              type: 'text',
              text: { body: 'New: Hello' },
            },
          ],
        ],
      },
    ),
  },
  { title: 'PublicationDetail' },
);

export const PublicationList = ListQuery({
  endpoint_id: Type.Optional(Id('publishing_endpoint', 'Only publications of this endpoint.')),
  status: Type.Optional(
    Enum(PUBLICATION_STATUSES, { description: 'Only those with this status.', examples: ['failed'] }),
  ),
  ...createdFilters,
});

const TEMPLATES = ['original', 'present'] as const;
export const ReplayPublication = Strict({
  template: Type.Optional(
    Enum(TEMPLATES, {
      default: 'present',
      description:
        'The definition of the endpoint to render with: the one at the time of the request (`original`) or the current one (`present`).',
      examples: ['present'],
    }),
  ),
  only: Type.Optional(
    Enum(['all', 'failed'], {
      default: 'all',
      description: '`failed`: only the destinations that failed. Requires `template: original`.',
      examples: ['all'],
    }),
  ),
});

export type PublicationObject = Static<typeof Publication>;
export type PublicationDetailObject = Static<typeof PublicationDetail>;
export type PublicationResultObject = Static<typeof PublicationResult>;
export type ReplayPublicationBody = Static<typeof ReplayPublication>;
