/** API schemas of model routes. */
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
} from '../../../platform/http/schema.ts';
import { exampleId, objectFields } from '../../../core/api/id-schema.ts';
import { FALLBACK_REASONS } from '../contract/model-catalog.ts';

const MAX_ATTEMPTS = 5;

const NAME_RULE = 'Name of the route: lower-case letters, digits, `-`, `_` and `.`. Unique in the workspace.';
const NameOf = (description: string) =>
  Type.String({
    minLength: 1,
    maxLength: 60,
    pattern: inWords(
      '^[a-z0-9._-]+$',
      'can only contain lowercase letters, digits, dots, underscores and hyphens',
    ),
    description,
    examples: ['default'],
  });
const Name = NameOf(NAME_RULE);
const Model = Type.String({
  minLength: 1,
  maxLength: 300,
  description: 'ID of a model from `GET /models` that is not a route.',
  examples: ['openai/gpt-5'],
});
const TimeoutSeconds = Nullable(Type.Integer({ minimum: 1, maximum: 600 }), {
  default: null,
  description:
    "Seconds until the first byte of the response, and between two parts of it, where 120 is the most; null for the provider's `timeout_seconds`.",
  examples: [20],
});
const ATTEMPTS_RULE =
  'Models in the order in which they are tried. The next one is tried if the connection is refused, the model times out, responds with 402, 408, 429 or 5xx, with an error in a success, or with an empty response, and no content was sent to the caller yet.';
const On = Type.Array(Enum(FALLBACK_REASONS), {
  maxItems: FALLBACK_REASONS.length,
  uniqueItems: true,
  default: [],
  description:
    'Further errors after which the next model is tried. `context_length`: the input is longer than the context of the model.',
  examples: [['context_length']],
});
const EXAMPLE_ATTEMPTS = [
  { model: 'openai/gpt-5', timeout_seconds: 20 },
  { model: 'fairlead/echo', timeout_seconds: null },
];
const AttemptsInput = Type.Array(Strict({ model: Model, timeout_seconds: Type.Optional(TimeoutSeconds) }), {
  minItems: 1,
  maxItems: MAX_ATTEMPTS,
  description: ATTEMPTS_RULE,
  examples: [EXAMPLE_ATTEMPTS],
});

export const ModelRoute = Type.Object(
  {
    ...objectFields('model_route', 'model_route'),
    name: Name,
    model: Type.String({ description: 'ID to call it by.', examples: ['route/default'] }),
    attempts: Type.Array(
      Type.Object({ model: Model, timeout_seconds: TimeoutSeconds }, { title: 'ModelRouteAttempt' }),
      { description: ATTEMPTS_RULE, examples: [EXAMPLE_ATTEMPTS] },
    ),
    on: On,
    metadata: Metadata,
    created_by: Nullable(Type.String(), {
      description: 'ID of the user or API key that created the route.',
      examples: [exampleId('user')],
    }),
    ...timeFields,
  },
  { title: 'ModelRoute' },
);

export const CreateModelRoute = Strict({
  name: Name,
  attempts: AttemptsInput,
  on: Type.Optional(On),
  metadata: Type.Optional(Metadata),
});
export const UpdateModelRoute = Strict({
  name: Type.Optional(NameOf(`${NAME_RULE} Changing it changes the ID to call it by.`)),
  attempts: Type.Optional(AttemptsInput),
  on: Type.Optional(On),
  metadata: Type.Optional(Metadata),
});
export const ModelRouteList = ListQuery({ search: searchFilter('name', 'default'), ...createdFilters });

export type ModelRouteObject = Static<typeof ModelRoute>;
export type CreateModelRouteBody = Static<typeof CreateModelRoute>;
export type UpdateModelRouteBody = Static<typeof UpdateModelRoute>;
