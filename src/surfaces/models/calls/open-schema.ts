/**
 * Parts of the schemas of model calls. They document the input of OpenAI's API, and reject little: every object accepts
 * further fields, and every optional field accepts null, because providers differ in both.
 */
import Type, { type TSchema } from 'typebox';
import { Nullable } from '../../../platform/http/schema.ts';

/** An object that takes further fields. */
export const Open = <P extends Record<string, TSchema>>(properties: P, options: object = {}) =>
  Type.Object(properties, { additionalProperties: true, ...options });

/** An optional field that takes null. */
export const Maybe = <T extends TSchema>(schema: T, description: string, example: unknown) =>
  Type.Optional(Nullable(schema, { description, examples: [example] }));

/** Any JSON value. */
export const MaybeAny = (description: string, example: unknown) =>
  Type.Optional(Type.Unknown({ description, examples: [example] }));

export const ModelField = Type.String({
  minLength: 1,
  maxLength: 300,
  description: 'ID of a model or a model route from `GET /models`.',
  examples: ['fairlead/echo'],
});

export const StreamField = Maybe(
  Type.Boolean(),
  'Send the response as server-sent events while it is generated.',
  false,
);

/** JSON Schema, as tools and response formats have it. */
export const JsonSchema = (description: string) =>
  Maybe(Open({}, { description: 'JSON Schema.' }), description, {
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
  });

export const UserField = Maybe(Type.String(), 'Your identifier of the end user.', 'user-123');
export const CallMetadata = Maybe(
  Open({}, { description: 'Key-value pairs.' }),
  'Key-value pairs that the provider stores with the response.',
  { ticket: '81' },
);

const Tokens = (description: string, example: number) => Maybe(Type.Number(), description, example);

export const InputTokenDetails = Maybe(
  Open(
    {
      cached_tokens: Tokens('Tokens read from the cache.', 0),
      audio_tokens: Tokens('Audio tokens.', 0),
    },
    { title: 'InputTokenDetails', description: 'Input tokens by kind.' },
  ),
  'Input tokens by kind.',
  { cached_tokens: 0 },
);
export const OutputTokenDetails = Maybe(
  Open(
    {
      reasoning_tokens: Tokens('Tokens of reasoning.', 0),
      audio_tokens: Tokens('Audio tokens.', 0),
    },
    { title: 'OutputTokenDetails', description: 'Output tokens by kind.' },
  ),
  'Output tokens by kind.',
  { reasoning_tokens: 0 },
);
