/** What the event log tells of API keys: never a secret. */
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
    description: 'An API key got a new secret; the old one ends when its overlap does.',
  }),
  'api_key.revoked': eventKind({
    object: ApiKey,
    description: 'An API key was revoked, for good.',
    sample: { state: 'revoked', revoked_at: '2026-01-15T09:30:00.000Z' },
  }),
};
