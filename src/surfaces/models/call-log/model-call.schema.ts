/** Schemas of single model calls. */
import Type, { type Static } from 'typebox';
import { createdFilters, Enum, ListQuery, Nullable, Timestamp } from '../../../platform/http/schema.ts';
import { exampleId, Id, objectFields } from '../../../core/api/id-schema.ts';
import { TOKEN_DETAIL_FIELDS } from '../contract/token-details.ts';

const CALL_OUTCOMES = ['succeeded', 'failed', 'canceled', 'interrupted'] as const;

const Tokens = (description: string, example: number) =>
  Type.Integer({ minimum: 0, description, examples: [example] });

const fields = {
  ...objectFields('model_call', 'model_call'),
  operation: Type.String({
    description: 'The operation: `chat/completions`, `responses` or `embeddings`.',
    examples: ['chat/completions'],
  }),
  model: Type.String({
    description: 'The model that answered, or that was tried last. Long IDs are cut.',
    examples: ['openai/gpt-5-mini'],
  }),
  provider_id: Nullable(Id('model_provider'), {
    description: 'The provider of the model; null for a built-in model, or if no model was called.',
    examples: [exampleId('model_provider')],
  }),
  route: Nullable(Type.String(), {
    description: 'Name of the model route that was called; null for none.',
    examples: [null],
  }),
  actor: Type.String({
    description: 'ID of the API key, person or rule that called.',
    examples: [exampleId('api_key')],
  }),
  outcome: Enum(CALL_OUTCOMES, {
    description:
      'How the call ended: `canceled` if the caller left, `interrupted` if the server process ended before the call.',
    examples: ['succeeded'],
  }),
  status: Nullable(Type.Integer(), {
    description: 'HTTP status of the response; null if none was sent.',
    examples: [200],
  }),
  error_code: Nullable(Type.String(), {
    description: 'Why the call did not succeed; null if it did.',
    examples: [null],
  }),
  attempts: Nullable(Type.Array(Type.String()), {
    description: 'How each attempt of a model route ended, as `model:outcome`; null without a route.',
    examples: [null],
  }),
  input_tokens: Tokens('Input tokens, including cached ones.', 812),
  cached_tokens: Tokens('Input tokens that the provider read from its cache.', 0),
  output_tokens: Tokens('Output tokens, including reasoning.', 96),
  ...TOKEN_DETAIL_FIELDS,
  estimated: Type.Boolean({
    description: 'Whether the tokens are an estimate, because the provider reported none.',
    examples: [false],
  }),
  cost_usd: Nullable(Type.Number(), {
    description: 'Cost in US dollars; null if the price is not known.',
    examples: [0.00047],
  }),
  first_byte_ms: Nullable(Type.Integer(), {
    description: 'Time to the first byte of the response, in milliseconds; null if there was none.',
    examples: [420],
  }),
  duration_ms: Type.Integer({ description: 'Time until the call ended, in milliseconds.', examples: [1800] }),
  has_content: Type.Boolean({
    description: 'Whether prompt and response are stored.',
    examples: [false],
  }),
  test: Type.Boolean({ description: 'Whether it was the call of a provider test.', examples: [false] }),
  created_at: Timestamp('When the call began.'),
};

export const ModelCall = Type.Object(fields, { title: 'ModelCall' });

export const ModelCallDetails = Type.Object(
  {
    ...fields,
    content: Nullable(
      Type.Object(
        {
          request: Type.String({
            description: 'The body of the request, as JSON. At most 64 KiB.',
            examples: ['{"model":"openai/gpt-5-mini","messages":[{"role":"user","content":"Hello!"}]}'],
          }),
          response: Nullable(Type.String(), {
            description:
              'The body of the response as it was sent, of a stream its events. At most 64 KiB; null if there was none.',
            examples: ['{"object":"chat.completion","choices":[]}'],
          }),
          truncated: Type.Boolean({
            description: 'Whether request or response was cut to 64 KiB. Cut JSON is incomplete.',
            examples: [false],
          }),
        },
        { title: 'ModelCallContent' },
      ),
      {
        description:
          'Prompt and response; null if they are not stored. They are stored for 7 days, and only if the workspace has `store_model_calls`.',
      },
    ),
  },
  { title: 'ModelCallDetails' },
);

export const ModelCallList = ListQuery(createdFilters);

export type ModelCallObject = Static<typeof ModelCall>;
export type ModelCallDetailsObject = Static<typeof ModelCallDetails>;
export type ModelCallFilters = Static<typeof ModelCallList>;
