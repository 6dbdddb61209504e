/** Publications as the API shows them. */
import Type, { type Static } from 'typebox';
import {
  createdFilters,
  Enum,
  Id,
  ListQuery,
  Nullable,
  objectFields,
  Strict,
  timeFields,
  Timestamp,
} from '../../../platform/http/schema.ts';
import { CANCEL_REASONS, PUBLICATION_STATUSES, RESULT_STATUSES } from './publication-state.ts';

const SOURCES = ['bearer', 'secret_url', 'signature', 'replay'] as const;

const Faults = Type.Array(
  Type.Object({
    pointer: Type.String({
      description: 'Where in the endpoint: a JSON pointer.',
      examples: ['/destinations/0/template'],
    }),
    code: Type.String({ description: 'What kind of fault; stable.', examples: ['template_failed'] }),
    detail: Type.String({ description: 'The same in words.', examples: ['undefined filter: upcas'] }),
  }),
  { description: 'Each fault.' },
);

export const PublicationResult = Type.Object(
  {
    destination: Type.Integer({ description: 'Which destination of the endpoint, from 0.', examples: [0] }),
    instance_id: Id('instance'),
    to: Nullable(Type.String(), {
      description: 'Whom it goes to; null once that contact is erased.',
      examples: ['alice'],
    }),
    type: Type.String({ description: 'Type of the message.', examples: ['text'] }),
    message_id: Nullable(Id('message'), {
      description: 'The message; of several tries the latest. null until there is one.',
      examples: ['msg_01h2xcejqtf2nbrexx3vqjhp41'],
    }),
    status: Enum(RESULT_STATUSES, {
      description: '`pending` until a message is accepted for it; from then on as the message.',
      examples: ['sent'],
    }),
    error: Nullable(
      Type.Object({
        code: Type.String({
          description: 'What kind of fault; stable.',
          examples: ['instance_disconnected'],
        }),
        detail: Type.String({
          description: 'The same in words.',
          examples: ['The instance is disconnected.'],
        }),
        retryable: Type.Boolean({ description: 'Whether another try may do.', examples: [true] }),
      }),
      { description: 'Why it failed; null where it did not.', examples: [null] },
    ),
    attempts: Type.Integer({ description: 'Tries made.', examples: [1] }),
    next_attempt_at: Nullable(Timestamp('When it is tried again by itself.'), { examples: [null] }),
    updated_at: Timestamp('When that became known.'),
  },
  { title: 'PublicationResult' },
);

export const Publication = Type.Object(
  {
    ...objectFields('publication', 'publication'),
    endpoint_id: Id('publishing_endpoint'),
    revision: Type.Integer({
      description: 'The definition of the endpoint that it was rendered by.',
      examples: [1],
    }),
    status: Enum(PUBLICATION_STATUSES, { description: 'What became of it.', examples: ['published'] }),
    reason: Nullable(Enum(CANCEL_REASONS), {
      description:
        'Why it was canceled: by a `user`, held back by the filter, its endpoint was deleted, or all whom it was for were erased.',
      examples: [null],
    }),
    error: Nullable(
      Type.Object({
        code: Type.String({ description: 'What kind of fault; stable.', examples: ['template_failed'] }),
        detail: Type.String({ description: 'The same in words.', examples: ['1 destination is refused'] }),
        errors: Faults,
      }),
      { description: 'Why it was rejected; null where it was not.', examples: [null] },
    ),
    source: Enum(SOURCES, { description: 'How its sender proved itself.', examples: ['secret_url'] }),
    replay_of: Nullable(Id('publication'), { description: 'What it replays.', examples: [null] }),
    duplicate_of: Nullable(Id('publication'), { description: 'What it says again.', examples: [null] }),
    results: Type.Array(PublicationResult, {
      description: 'What became of each destination; empty until it is published.',
    }),
    content_type: Nullable(Type.String(), { description: 'As it came.', examples: ['application/json'] }),
    size: Type.Integer({ description: 'Bytes of the body.', examples: [17] }),
    scheduled_at: Nullable(Timestamp('When it is published; null for at once.'), { examples: [null] }),
    finished_at: Nullable(Timestamp('When nothing of it was under way any more.')),
    created_by: Type.String({
      description: 'Id of the key or person; of the endpoint where the sender is nobody known.',
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

/** What templates see of a request; what looks like a secret is masked where it is shown. */
export const receivedFields = {
  payload: AnyJson('What came, as templates see it. What looks like a secret is masked.', { title: 'Hello' }),
  headers: Pairs('Its headers, without those that prove who sent it.', { 'user-agent': 'curl/8' }),
  query: Pairs('Its query parameters.', {}),
};

/** One by itself has more than in lists and events. */
export const PublicationDetail = Type.Object(
  {
    ...Publication.properties,
    ...receivedFields,
    messages: Type.Array(
      Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true }),
      {
        description: 'What was made of it for each destination, as `POST /messages` takes it.',
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
  endpoint_id: Type.Optional(Id('publishing_endpoint', 'Only what came in through this one.')),
  status: Type.Optional(
    Enum(PUBLICATION_STATUSES, { description: 'Only those in this status.', examples: ['failed'] }),
  ),
  ...createdFilters,
});

const TEMPLATES = ['original', 'present'] as const;
export const ReplayPublication = Strict({
  template: Type.Optional(
    Enum(TEMPLATES, {
      default: 'present',
      description:
        'By which definition of the endpoint it is rendered: the one that it had at the time (`original`), or the one that it has now.',
      examples: ['present'],
    }),
  ),
  only: Type.Optional(
    Enum(['all', 'failed'], {
      default: 'all',
      description: '`failed`: only destinations that it failed for. Takes `template: original`.',
      examples: ['all'],
    }),
  ),
});

export type PublicationObject = Static<typeof Publication>;
export type PublicationDetailObject = Static<typeof PublicationDetail>;
export type PublicationResultObject = Static<typeof PublicationResult>;
export type ReplayPublicationBody = Static<typeof ReplayPublication>;
