/** API schemas of model providers. */
import Type, { type Static } from 'typebox';
import { inWords } from '../../../platform/http/pattern-words.ts';
import {
  searchFilter,
  createdFilters,
  Enum,
  ListQuery,
  Metadata,
  Nullable,
  Strict,
  timeFields,
  Timestamp,
} from '../../../platform/http/schema.ts';
import { exampleId, Id, objectFields } from '../../../core/api/id-schema.ts';
import { ModelPrice, ModelPriceInput, type ModelPriceObject } from './price.schema.ts';
import { MODEL_NAME_PATTERN } from './model-name.ts';
import { PROVIDER_KINDS } from './provider-kinds.ts';

const PROVIDER_STATES = ['active', 'failing'] as const;
const PROVIDER_ERRORS = [
  'refused',
  'timeout',
  'broken',
  'address_not_allowed',
  'unauthorized',
  'error_response',
  'invalid_response',
] as const;

export const MAX_URL = 2048;
export const SLUG_MAX = 40;
/** OpenAI's clients wait as long. With less, they repeat a call that the provider has worked on, and is paid for. */
export const DEFAULT_TIMEOUT_SECONDS = 600;
const MAX_MODELS = 1_000;
const MAX_HEADERS = 20;
const SLUG_PATTERN = inWords(
  '^[a-z0-9]+(?:[-_][a-z0-9]+)*$',
  'can only contain lowercase letters and digits, joined by single hyphens or underscores',
);
const NameOf = (description: string) =>
  Type.String({ minLength: 1, maxLength: 100, pattern: '\\S', description, examples: ['OpenAI'] });
const SLUG_RULE =
  'First part of the IDs of its models, as in `openai/gpt-5`: lower-case letters and digits, joined by single hyphens or underscores.';
const SlugOf = (description: string) =>
  Type.String({
    minLength: 1,
    maxLength: SLUG_MAX,
    pattern: SLUG_PATTERN,
    description,
    examples: ['openai'],
  });
const Name = NameOf('Display name.');
const Slug = SlugOf(SLUG_RULE);
const Kind = Enum(PROVIDER_KINDS, {
  description:
    'Preset of address, authentication and supported operations. `GET /model-provider-kinds` describes them.',
  examples: ['openai'],
});
const URL_RULE =
  'Address that the paths `/chat/completions`, `/responses`, `/embeddings` and `/models` are appended to: http or https, without credentials, query or fragment.';
const BaseUrlOf = (description: string) =>
  Type.String({ minLength: 1, maxLength: MAX_URL, description, examples: ['https://api.openai.com/v1'] });
const BaseUrl = BaseUrlOf(URL_RULE);
const modelName = (description: string, example: string) =>
  Type.String({
    minLength: 1,
    maxLength: 200,
    pattern: MODEL_NAME_PATTERN,
    description,
    examples: [example],
  });
const ModelName = modelName('Name of the model at the provider.', 'gpt-5');
const Alias = Nullable(modelName('', 'fast'), {
  description:
    'Your own name for the model: its ID is then `{slug}/{alias}` instead of `{slug}/{id}`. null for none.',
  examples: ['fast'],
});
const MODELS_RULE =
  'Models that the workspace can use; null for all that the provider lists. A model can appear several times with different aliases.';
const Models = Nullable(
  Type.Array(Type.Object({ id: ModelName, alias: Alias }, { title: 'ModelProviderModel' })),
  { description: MODELS_RULE, examples: [null] },
);
const ModelsInput = Nullable(
  Type.Array(Strict({ id: ModelName, alias: Type.Optional(Alias) }, { title: 'ModelProviderModelInput' }), {
    minItems: 1,
    maxItems: MAX_MODELS,
  }),
  { description: MODELS_RULE, examples: [[{ id: 'gpt-5', alias: 'fast' }]] },
);

const EXAMPLE_PRICES = {
  'gpt-5': {
    input: 1.25,
    output: 10,
    cached_input: 0.125,
    cache_write: null,
    cache_write_1h: null,
    request: null,
    search: null,
  },
};
const PRICES_RULE =
  'Prices in USD per million tokens, by the name of the model at the provider. They take precedence over prices that the provider lists.';
const Prices = Type.Unsafe<Record<string, ModelPriceObject>>({
  type: 'object',
  additionalProperties: ModelPrice,
  description: PRICES_RULE,
  examples: [EXAMPLE_PRICES],
});
const PricesInput = Type.Unsafe<Record<string, Static<typeof ModelPriceInput>>>({
  type: 'object',
  propertyNames: { minLength: 1, maxLength: 200, pattern: MODEL_NAME_PATTERN },
  additionalProperties: ModelPriceInput,
  maxProperties: MAX_MODELS,
  description: `${PRICES_RULE} In an update, they replace all prices.`,
  examples: [EXAMPLE_PRICES],
});

const ApiKey = Nullable(
  Type.String({
    minLength: 1,
    maxLength: 2_000,
    pattern: inWords(
      '^[\\x21-\\x7e]+$',
      'can only contain ASCII letters, digits and punctuation, without spaces',
    ),
  }),
  {
    description:
      'API key of the provider, sent as `Authorization: Bearer`. Stored encrypted and never shown. null for none.',
    examples: ['sk-example'],
  },
);
const headersInput = (values: object, description: string) => ({
  type: 'object',
  additionalProperties: { maxLength: 8192, ...values },
  maxProperties: MAX_HEADERS,
  description,
  examples: [{ 'OpenAI-Project': 'proj_example' }],
});
const HEADERS_RULE =
  'Additional request headers: at most 20, and 8 KiB in total. Values are stored encrypted and never shown. `Host`, `Content-*`, `Accept-Encoding`, `traceparent` and connection headers are not allowed. `Authorization` replaces the API key.';
const TimeoutSeconds = Type.Integer({
  minimum: 1,
  maximum: 600,
  default: DEFAULT_TIMEOUT_SECONDS,
  description:
    'Seconds until the first byte of a response, and between two parts of it, where 120 is the most.',
  examples: [DEFAULT_TIMEOUT_SECONDS],
});
const MaxConcurrency = Nullable(Type.Integer({ minimum: 1, maximum: 1_000 }), {
  default: null,
  description:
    'Maximum concurrent calls of each server process; null for no limit. Further calls wait, at most for `timeout_seconds`.',
  examples: [null],
});
const Enabled = Type.Boolean({
  default: true,
  description: 'Whether its models can be called. Models of a disabled provider are not listed.',
  examples: [true],
});

const ProviderError = Type.Object(
  {
    code: Enum(PROVIDER_ERRORS, { description: 'Error code.', examples: ['unauthorized'] }),
    detail: Type.String({
      description: 'Human-readable explanation.',
      examples: ['The provider rejected the credentials (401).'],
    }),
  },
  { title: 'ModelProviderError' },
);

export const ModelProvider = Type.Object(
  {
    ...objectFields('model_provider', 'model_provider'),
    name: Name,
    slug: Slug,
    kind: Kind,
    base_url: BaseUrl,
    has_api_key: Type.Boolean({ description: 'Whether an API key is stored.', examples: [true] }),
    headers: Type.Unsafe<Record<string, null>>({
      type: 'object',
      additionalProperties: { type: 'null' },
      description: 'Names of the additional headers. Their values are not shown.',
      examples: [{ 'OpenAI-Project': null }],
    }),
    models: Models,
    prices: Prices,
    timeout_seconds: TimeoutSeconds,
    max_concurrency: MaxConcurrency,
    enabled: Enabled,
    state: Enum(PROVIDER_STATES, {
      description:
        '`failing` after three failed calls in a row, or if its models could not be read. `active` again after the next success. Models of a failing provider can still be called.',
      examples: ['active'],
    }),
    last_error: Nullable(ProviderError, {
      description: 'Why the provider is failing; null while it is active.',
      examples: [null],
    }),
    models_count: Type.Integer({ description: 'Number of models that the provider lists.', examples: [84] }),
    listed_at: Nullable(Timestamp('When the model list was last read successfully.'), {
      examples: ['2026-01-15T09:30:00.000Z'],
    }),
    metadata: Metadata,
    created_by: Nullable(Type.String(), {
      description: 'ID of the user or API key that created the provider.',
      examples: [exampleId('user')],
    }),
    ...timeFields,
  },
  { title: 'ModelProvider' },
);

const settings = {
  models: Type.Optional(ModelsInput),
  prices: Type.Optional(PricesInput),
  timeout_seconds: Type.Optional(TimeoutSeconds),
  max_concurrency: Type.Optional(MaxConcurrency),
  enabled: Type.Optional(Enabled),
  metadata: Type.Optional(Metadata),
};

export const CreateModelProvider = Strict({
  kind: Kind,
  name: Type.Optional(NameOf('Display name. Default: the name of the kind.')),
  slug: Type.Optional(SlugOf(`${SLUG_RULE} Default: derived from the name.`)),
  base_url: Type.Optional(BaseUrlOf(`${URL_RULE} Required if the kind has no default.`)),
  api_key: Type.Optional(ApiKey),
  headers: Type.Optional(Type.Unsafe<Record<string, string>>(headersInput({ type: 'string' }, HEADERS_RULE))),
  ...settings,
});

export const UpdateModelProvider = Strict({
  name: Type.Optional(Name),
  slug: Type.Optional(SlugOf(`${SLUG_RULE} Changing it changes the IDs of all its models.`)),
  base_url: Type.Optional(BaseUrl),
  api_key: Type.Optional(ApiKey),
  headers: Type.Optional(
    Type.Unsafe<Record<string, string | null>>(
      headersInput(
        { type: ['string', 'null'] },
        `${HEADERS_RULE} They replace all headers; null keeps the current value of a header.`,
      ),
    ),
  ),
  ...settings,
});

export const ModelProviderList = ListQuery({
  search: searchFilter('name or slug', 'open'),
  kind: Type.Optional(
    Enum(PROVIDER_KINDS, { description: 'Only providers of this kind.', examples: ['openai'] }),
  ),
  state: Type.Optional(
    Enum(PROVIDER_STATES, { description: 'Only providers in this state.', examples: ['failing'] }),
  ),
  enabled: Type.Optional(
    Type.Boolean({ description: 'Only providers that are (or are not) enabled.', examples: [true] }),
  ),
  ...createdFilters,
});

export const TestModelProvider = Strict({
  model: Type.Optional(
    Nullable(Type.String({ minLength: 1, maxLength: 200, pattern: MODEL_NAME_PATTERN }), {
      default: null,
      description: "The provider's name of the model to call; null for its first chat model.",
      examples: ['gpt-5'],
    }),
  ),
});

export const CheckModelProvider = Strict({
  ...CreateModelProvider.properties,
  ...TestModelProvider.properties,
});

const Latency = Nullable(Type.Integer({ minimum: 0 }), {
  description: 'Milliseconds until the response was complete; null if there was none.',
  examples: [412],
});
const ok = (description: string) => Type.Boolean({ description, examples: [true] });
const StepError = Nullable(ProviderError, { description: 'Why it failed.', examples: [null] });

export const ModelProviderTest = Type.Object(
  {
    object: Type.Literal('model_provider_test', {
      description: 'The type of the object.',
      examples: ['model_provider_test'],
    }),
    model_provider_id: Nullable(Id('model_provider'), {
      description: 'ID of the model provider; null for one that is not saved.',
      examples: [exampleId('model_provider')],
    }),
    ok: ok('Whether the call succeeded.'),
    list: Type.Object(
      {
        ok: ok('Whether the models could be listed.'),
        latency_ms: Latency,
        models_count: Nullable(Type.Integer({ minimum: 0 }), {
          description: 'Number of models that the provider lists; null if listing failed.',
          examples: [84],
        }),
        error: StepError,
      },
      { description: 'Result of listing the models.' },
    ),
    call: Nullable(
      Type.Object({
        ok: ok('Whether the model responded.'),
        model: Type.String({ description: "The provider's name of the model.", examples: ['gpt-5'] }),
        latency_ms: Latency,
        error: StepError,
      }),
      { description: 'Result of the call; null if the provider has no model to call.' },
    ),
  },
  { title: 'ModelProviderTest' },
);

export const ListedModel = Type.Object(
  {
    id: modelName('Name of the model at the provider.', 'gpt-5'),
    object: Type.Literal('model_provider_model', {
      description: 'The type of the object.',
      examples: ['model_provider_model'],
    }),
    model_ids: Type.Array(Type.String(), {
      description: 'IDs by which the workspace can call it; empty if `models` of the provider excludes it.',
      examples: [['openai/gpt-5']],
    }),
    context_length: Nullable(Type.Integer(), {
      description: 'Context length in tokens, if known.',
      examples: [400_000],
    }),
    pricing: Nullable(ModelPrice, { description: 'Price, if known.' }),
    price_source: Nullable(Enum(['configured', 'listed', 'local']), {
      description:
        'Where the price comes from: `prices` of the provider, its model list, or the kind, whose models run on your own machines. null if the price is not known.',
      examples: ['configured'],
    }),
  },
  { title: 'ModelProviderListedModel' },
);

export const ListedModelList = ListQuery({ search: searchFilter('name', 'gpt') });

export type ModelProviderObject = Static<typeof ModelProvider>;
export type CreateModelProviderBody = Static<typeof CreateModelProvider>;
export type UpdateModelProviderBody = Static<typeof UpdateModelProvider>;
export type CheckModelProviderBody = Static<typeof CheckModelProvider>;
export type ModelProviderTestObject = Static<typeof ModelProviderTest>;
export type ListedModelObject = Static<typeof ListedModel>;
export type ProviderError = Static<typeof ProviderError>;
