/** What the event log tells of API keys: never a secret. */
import { eventKind } from '../events/event-kind.ts';
import { ApiKey } from './api-key.schema.ts';

const about = { surface: 'getting_started', scope: 'api_keys:read', object: ApiKey } as const;

export const apiKeyEvents = {
  'api_key.created': eventKind({ ...about, description: 'An API key was created.' }),
  'api_key.updated': eventKind({
    ...about,
    description: 'The name, scopes or limits of an API key changed.',
    previous: { name: 'Staging site' },
  }),
  'api_key.rotated': eventKind({
    ...about,
    description: 'An API key got a new secret; the old one ends when its overlap does.',
  }),
  'api_key.revoked': eventKind({
    ...about,
    description: 'An API key was revoked, for good.',
    sample: { state: 'revoked', revoked_at: '2026-01-15T09:30:00.000Z' },
  }),
};
