/** Kinds of model providers, as returned by the API. */
import Type from 'typebox';
import { Enum, Nullable } from '../../../platform/http/schema.ts';
import { CALL_OPERATIONS } from '../contract/upstream.ts';
import { PRESETS, PROVIDER_KINDS, type ProviderKind } from './provider-kinds.ts';

export const ModelProviderKind = Type.Object(
  {
    id: Enum(PROVIDER_KINDS, {
      description: 'Name of the kind, as in `kind` of a model provider.',
      examples: ['openai'],
    }),
    object: Type.Literal('model_provider_kind', {
      description: 'The type of the object.',
      examples: ['model_provider_kind'],
    }),
    name: Type.String({ description: 'Display name.', examples: ['OpenAI'] }),
    description: Type.String({
      description: 'What the provider offers.',
      examples: ["OpenAI's GPT and embedding models."],
    }),
    default_base_url: Nullable(Type.String(), {
      description: 'The default base URL; null if `base_url` is required.',
      examples: ['https://api.openai.com/v1'],
    }),
    needs_api_key: Type.Boolean({ description: 'Whether calls need an API key.', examples: [true] }),
    api_keys_url: Nullable(Type.String(), {
      description: 'Where to create an API key, if the provider has such a page.',
      examples: ['https://platform.openai.com/api-keys'],
    }),
    operations: Type.Array(Enum(CALL_OPERATIONS), {
      description: 'Supported operations. Other calls are rejected with `unsupported_by_provider`.',
      examples: [['chat/completions', 'responses', 'embeddings']],
    }),
    is_local: Type.Boolean({
      description:
        'Whether the provider usually runs on your own machines. Its models cost nothing unless you set a price, and its address requires an entry in EGRESS_ALLOW.',
      examples: [false],
    }),
  },
  { title: 'ModelProviderKind' },
);

export function presentKind(kind: ProviderKind) {
  const { name, description, baseUrl, needsKey, keysUrl, operations, isLocal } = PRESETS[kind];
  return {
    id: kind,
    object: 'model_provider_kind' as const,
    name,
    description,
    default_base_url: baseUrl,
    needs_api_key: needsKey,
    api_keys_url: keysUrl,
    operations: [...operations],
    is_local: isLocal,
  };
}
