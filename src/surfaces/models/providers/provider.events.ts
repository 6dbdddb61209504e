/** Events of model providers. They never contain an API key or the value of a header. */
import { eventKind } from '../../../core/events/event-kind.ts';
import { ModelProvider } from './provider.schema.ts';

export const providerEvents = {
  'model_provider.created': eventKind({
    object: ModelProvider,
    description: 'A model provider was created.',
    sample: { models_count: 0, listed_at: null },
  }),
  'model_provider.updated': eventKind({
    object: ModelProvider,
    description: 'The settings of a model provider changed.',
    previous: { name: 'OpenAI (old account)' },
  }),
  'model_provider.deleted': eventKind({
    object: ModelProvider,
    description: 'A model provider was deleted.',
  }),
  'model_provider.failing': eventKind({
    object: ModelProvider,
    description:
      'Calls to a model provider failed three times in a row, or its models could not be read. Its models can still be called.',
    sample: {
      state: 'failing',
      last_error: { code: 'unauthorized', detail: 'The provider rejected the credentials (401).' },
    },
  }),
  'model_provider.recovered': eventKind({
    object: ModelProvider,
    description: 'A failing model provider responded successfully again.',
  }),
};
