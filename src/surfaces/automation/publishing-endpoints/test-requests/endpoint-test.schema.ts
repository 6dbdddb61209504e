/** API schemas of endpoint tests and samples. */
import Type, { type Static } from 'typebox';
import { Enum, toListSchema, Nullable, Strict, Timestamp } from '../../../../platform/http/schema.ts';
import { Id } from '../../../../core/api/id-schema.ts';
import { receivedFields } from '../../publications/records/publication.schema.ts';
import { modelFields } from '../../questions/ask-model.schema.ts';
import { UpdatePublishingEndpoint } from '../publishing-endpoint.schema.ts';

export const MAX_SAMPLES = 20;

export const PublishingSample = Type.Object(
  {
    id: Id('publication', 'ID of the publication that it belongs to.'),
    object: Type.Literal('publishing_sample', {
      description: 'The type of the object.',
      examples: ['publishing_sample'],
    }),
    endpoint_id: Id('publishing_endpoint'),
    content_type: Nullable(Type.String(), { description: 'As received.', examples: ['application/json'] }),
    ...receivedFields,
    created_at: Timestamp('When it was received.'),
  },
  { title: 'PublishingSample' },
);
export const PublishingSamples = toListSchema(PublishingSample);

const Pairs = (description: string, example: Record<string, string>) =>
  Type.Unsafe<Record<string, string>>({
    type: 'object',
    additionalProperties: { type: 'string', maxLength: 8_192 },
    maxProperties: 200,
    description,
    examples: [example],
  });
const { name, destinations, ask_model, filter, dedupe_key, schedule, shorten_links, allow_partial } =
  UpdatePublishingEndpoint.properties;

export const TestPublishingEndpoint = Strict({
  payload: Type.Optional(
    Type.Unsafe<unknown>({
      description: 'The `payload` that templates see: any JSON. Defaults to the payload of a sample.',
      examples: [{ title: 'Hello' }],
    }),
  ),
  sample_id: Type.Optional(
    Id('publication', 'A sample to use instead of `payload`. Without either, the latest sample is used.'),
  ),
  headers: Type.Optional(
    Pairs('With `payload`: what templates see as `headers`, by names in small letters.', {
      'user-agent': 'curl/8',
    }),
  ),
  query: Type.Optional(Pairs('With `payload`: what templates see as `query`.', {})),
  destinations,
  ask_model,
  filter,
  dedupe_key,
  schedule,
  shorten_links,
  allow_partial,
});

/** Test of an endpoint that does not exist yet. */
export const TestPublishingDraft = Strict({
  payload: Type.Unsafe<unknown>({
    description: 'The `payload` that templates see: any JSON.',
    examples: [{ title: 'Hello' }],
  }),
  headers: TestPublishingEndpoint.properties.headers,
  query: TestPublishingEndpoint.properties.query,
  name,
  destinations,
  ask_model,
  filter,
  dedupe_key,
  schedule,
  shorten_links,
  allow_partial,
});

const Faults = (description: string) =>
  Type.Array(
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
    { description, examples: [[]] },
  );

const questionFields = modelFields('Summarize for a customer: Hello');

const OUTCOMES = ['published', 'partially_published', 'scheduled', 'filtered', 'rejected'] as const;

export const PublishingTest = Type.Object(
  {
    object: Type.Literal('publishing_test', {
      description: 'The type of the object.',
      examples: ['publishing_test'],
    }),
    endpoint_id: Nullable(Id('publishing_endpoint'), {
      description: 'The endpoint; null if it does not exist yet.',
      examples: ['pep_01h2xcejqtf2nbrexx3vqjhp41'],
    }),
    outcome: Enum(OUTCOMES, {
      description:
        'The outcome if sent now: `published` immediately, `partially_published` to the destinations without errors, `scheduled` for later, `filtered` out, or `rejected` with 422.',
      examples: ['published'],
    }),
    sample_id: Nullable(Id('publication'), {
      description: 'The sample that was rendered; null if `payload` was given.',
      examples: [null],
    }),
    ...receivedFields,
    filter_passes: Nullable(Type.Boolean(), {
      description: 'Whether the payload passes the filter; null if the filter could not be evaluated.',
      examples: [true],
    }),
    question: Nullable(Type.Object(questionFields, { title: 'RenderedQuestion' }), {
      description:
        'With `ask_model`: the question that the model would be asked. A test calls no model: `answer` is a sample. null if none would be asked.',
      examples: [null],
    }),
    dedupe_key: Nullable(Type.String(), {
      description: 'The rendered `dedupe_key`; null if empty.',
      examples: ['42'],
    }),
    scheduled_at: Nullable(Timestamp('When it would be published; null for immediately.'), {
      examples: [null],
    }),
    errors: Faults('Errors of the filter, the dedupe key or the schedule.'),
    destinations: Type.Array(
      Type.Object({
        destination: Type.Integer({ description: 'Zero-based index of the destination.', examples: [0] }),
        message: Nullable(
          Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true }),
          {
            description:
              'The message that would be sent, in the form of `POST /messages`; null if the templates render none.',
            examples: [
              {
                instance_id: 'ins_01h2xcejqtf2nbrexx3vqjhp41',
                to: 'alice',
                type: 'text',
                text: { body: 'New: Hello' },
              },
            ],
          },
        ),
        errors: Faults('Errors that would prevent sending; empty if there are none.'),
      }),
      { description: 'The result for each destination.' },
    ),
  },
  { title: 'PublishingTest' },
);

export type PublishingSampleObject = Static<typeof PublishingSample>;
export type TestPublishingDraftBody = Static<typeof TestPublishingDraft>;
export type TestPublishingEndpointBody = Static<typeof TestPublishingEndpoint>;
export type PublishingTestObject = Static<typeof PublishingTest>;
