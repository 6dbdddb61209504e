/** Trying an endpoint out, and the payloads that are kept for it, as the API takes and shows them. */
import Type, { type Static } from 'typebox';
import { Enum, Id, ListOf, Nullable, Strict, Timestamp } from '../../../platform/http/schema.ts';
import { receivedFields } from '../publications/publication.schema.ts';
import { UpdatePublishingEndpoint } from './publishing-endpoint.schema.ts';

export const MAX_SAMPLES = 20;

export const PublishingSample = Type.Object(
  {
    id: Id('publication', 'Id of the publication that it came with.'),
    object: Type.Literal('publishing_sample', {
      description: 'The type of the object.',
      examples: ['publishing_sample'],
    }),
    endpoint_id: Id('publishing_endpoint'),
    content_type: Nullable(Type.String(), { description: 'As it came.', examples: ['application/json'] }),
    ...receivedFields,
    created_at: Timestamp('When it came.'),
  },
  { title: 'PublishingSample' },
);
export const PublishingSamples = ListOf(PublishingSample);

const Pairs = (description: string, example: Record<string, string>) =>
  Type.Unsafe<Record<string, string>>({
    type: 'object',
    additionalProperties: { type: 'string', maxLength: 8_192 },
    maxProperties: 200,
    description,
    examples: [example],
  });
const { name, destinations, filter, dedupe_key, schedule, shorten_links, allow_partial } =
  UpdatePublishingEndpoint.properties;

export const TestPublishingEndpoint = Strict({
  payload: Type.Optional(
    Type.Unsafe<unknown>({
      description: 'What templates see as `payload`: any JSON. Left out, it is that of a sample.',
      examples: [{ title: 'Hello' }],
    }),
  ),
  sample_id: Type.Optional(
    Id('publication', 'A sample in the place of `payload`. Without either it is the latest one.'),
  ),
  headers: Type.Optional(
    Pairs('With `payload`: what templates see as `headers`, by names in small letters.', {
      'user-agent': 'curl/8',
    }),
  ),
  query: Type.Optional(Pairs('With `payload`: what templates see as `query`.', {})),
  destinations,
  filter,
  dedupe_key,
  schedule,
  shorten_links,
  allow_partial,
});

/** Of an endpoint that is not there yet. */
export const TestPublishingDraft = Strict({
  payload: Type.Unsafe<unknown>({
    description: 'What templates see as `payload`: any JSON.',
    examples: [{ title: 'Hello' }],
  }),
  headers: TestPublishingEndpoint.properties.headers,
  query: TestPublishingEndpoint.properties.query,
  name,
  destinations,
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
        description: 'Where in the endpoint: a JSON pointer.',
        examples: ['/destinations/0/template'],
      }),
      code: Type.String({ description: 'What kind of fault; stable.', examples: ['template_failed'] }),
      detail: Type.String({ description: 'The same in words.', examples: ['undefined filter: upcas'] }),
    }),
    { description, examples: [[]] },
  );

const OUTCOMES = ['published', 'partially_published', 'scheduled', 'filtered', 'rejected'] as const;

export const PublishingTest = Type.Object(
  {
    object: Type.Literal('publishing_test', {
      description: 'The type of the object.',
      examples: ['publishing_test'],
    }),
    endpoint_id: Nullable(Id('publishing_endpoint'), {
      description: 'The endpoint; null for one that is not there yet.',
      examples: ['pep_01h2xcejqtf2nbrexx3vqjhp41'],
    }),
    outcome: Enum(OUTCOMES, {
      description:
        'What would become of it now: `published` at once, `partially_published` to those destinations that nothing is wrong with, `scheduled` for later, `filtered` (held back), or `rejected` (answered 422).',
      examples: ['published'],
    }),
    sample_id: Nullable(Id('publication'), {
      description: 'The sample that it was rendered with; null for a payload that was given.',
      examples: [null],
    }),
    ...receivedFields,
    filter_passes: Nullable(Type.Boolean(), {
      description: 'Whether the filter lets it pass; null where it can not be told.',
      examples: [true],
    }),
    dedupe_key: Nullable(Type.String(), {
      description: 'What `dedupe_key` makes; null for nothing.',
      examples: ['42'],
    }),
    scheduled_at: Nullable(Timestamp('When it would be published; null for at once.'), { examples: [null] }),
    errors: Faults('What is wrong with the filter, the dedupe key or the schedule.'),
    destinations: Type.Array(
      Type.Object({
        destination: Type.Integer({ description: 'Which one, from 0.', examples: [0] }),
        message: Nullable(
          Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true }),
          {
            description:
              'What would be sent, as `POST /messages` takes it; null where the templates make none.',
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
        errors: Faults('Why it would not be sent; empty where it would.'),
      }),
      { description: 'What it makes for each destination.' },
    ),
  },
  { title: 'PublishingTest' },
);

export type PublishingSampleObject = Static<typeof PublishingSample>;
export type TestPublishingDraftBody = Static<typeof TestPublishingDraft>;
export type TestPublishingEndpointBody = Static<typeof TestPublishingEndpoint>;
export type PublishingTestObject = Static<typeof PublishingTest>;
