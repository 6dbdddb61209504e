/** Events of API keys. They never contain a secret. */
import { eventKind } from '../events/event-kind.ts';
import { ApiKey } from './api-key.schema.ts';

export const apiKeyEvents = {
  'api_key.created': eventKind({ object: ApiKey, description: 'An API key was created.' }),
  'api_key.updated': eventKind({
    object: ApiKey,
    description: 'The name, scopes or limits of an API key changed.',
    previous: { name: 'Staging site' },
  }),
  'api_key.rotated': eventKind({
    object: ApiKey,
    description: 'An API key was rotated. The old secret stays valid until its overlap ends.',
  }),
  'api_key.revoked': eventKind({
    object: ApiKey,
    description: 'An API key was permanently revoked.',
    sample: { state: 'revoked', revoked_at: '2026-01-15T09:30:00.000Z' },
  }),
};
