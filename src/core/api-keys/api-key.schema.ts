/** API keys as the API shows them. */
import Type, { type Static } from 'typebox';
import { ALL_SCOPES, PRESET_NAMES } from '../auth/scopes.ts';
import { CreatedObjects } from '../created-objects/created-object.schema.ts';
import { RateLimit, RateLimitInput } from '../api/rate-limit.schema.ts';
import {
  createdFilters,
  Enum,
  ListQuery,
  Metadata,
  Nullable,
  objectFields,
  Strict,
  timeFields,
  Timestamp,
} from '../../platform/http/schema.ts';

export const KEY_STATES = ['active', 'expired', 'revoked'] as const;

const Scopes = Type.Array(Enum(ALL_SCOPES), {
  uniqueItems: true,
  maxItems: ALL_SCOPES.length,
  description: 'What the key may do, as `<resource>:<read|write>`; `GET /scopes` lists all.',
  examples: [['links:read', 'links:write']],
});

const Name = Type.String({
  minLength: 1,
  maxLength: 100,
  pattern: '\\S',
  description: 'Display name of the key.',
  examples: ['Production site'],
});
const AllowedIps = Type.Array(Type.String({ maxLength: 60 }), {
  maxItems: 50,
  description: 'Addresses or CIDR networks that the key may be used from; empty for any.',
  examples: [['203.0.113.0/24', '2001:db8::/32']],
});
const AllowedOrigins = Type.Array(Type.String({ maxLength: 300 }), {
  maxItems: 20,
  description:
    'Origins of web pages that the key may be used from. Such a key is public: it may hold only `models:read`, `models:invoke`, `links:create` and `publishing:publish`, needs an expiry and a rate limit, and works only with a listed `Origin`.',
  examples: [['https://www.example.com']],
});
const DisableCreatedOnEnd = Type.Boolean({
  description:
    'Whether the webhooks, rules, publishing endpoints, inspectors, instances and API keys that the key created are disabled when it is revoked or expires. Otherwise they stay: they belong to the workspace. Default: true for a key that is limited by `expires_at`, `allowed_ips` or `allowed_origins`, else false.',
  examples: [false],
});
const ExpiresAt = Timestamp('When the key stops; null for never.');

export const ApiKey = Type.Object(
  {
    ...objectFields('api_key', 'api_key'),
    name: Name,
    prefix: Type.String({ description: 'First characters of the secret.', examples: ['fl_x7Qa'] }),
    last4: Type.String({ description: 'Last four characters of the secret.', examples: ['9dRk'] }),
    state: Enum(KEY_STATES, { description: 'Whether the key works now.', examples: ['active'] }),
    scopes: Scopes,
    preset: Nullable(Enum(PRESET_NAMES), {
      description: 'The preset that the scopes were expanded from.',
      examples: ['links'],
    }),
    expires_at: Nullable(ExpiresAt, { examples: ['2027-01-15T09:30:00.000Z'] }),
    allowed_ips: AllowedIps,
    allowed_origins: AllowedOrigins,
    rate_limit: Nullable(RateLimit, {
      description:
        'null for none. Calls of a key that was created by another key count against the rate limit of that key too.',
      examples: [{ limit: 600, burst: 120 }],
    }),
    disable_created_on_end: DisableCreatedOnEnd,
    metadata: Metadata,
    last_used_at: Nullable(Timestamp('When it was last used, to about a second.')),
    last_used_ip: Nullable(Type.String(), {
      description: 'IP address of the last call.',
      examples: ['203.0.113.7'],
    }),
    last_used_operation: Nullable(Type.String(), {
      description: 'Operation of the last call.',
      examples: ['models.list'],
    }),
    created_by: Nullable(Type.String(), {
      description: 'ID of the person or key that created it.',
      examples: ['usr_01h2xcejqtf2nbrexx3vqjhp41'],
    }),
    revoked_at: Nullable(Timestamp('When it was revoked.'), { examples: [null] }),
    ...timeFields,
  },
  { title: 'ApiKey' },
);

export const ApiKeyWithSecret = Type.Object(
  {
    ...ApiKey.properties,
    secret: Nullable(Type.String(), {
      description: 'The full API key. Returned only in this response; null in a replay by Idempotency-Key.',
      examples: ['fl_x7QaK2mPz8RtVw4YbN6cHd0EfGj1LsU3AiBo9dRk'],
    }),
  },
  { title: 'ApiKeyWithSecret' },
);

const limitsOfKey = {
  expires_at: Type.Optional(Nullable(ExpiresAt, { examples: [null] })),
  allowed_ips: Type.Optional(AllowedIps),
  allowed_origins: Type.Optional(AllowedOrigins),
  rate_limit: Type.Optional(
    RateLimitInput(
      'A bucket, or a number of requests a minute, or null for none. Default: 600 a minute, burst 120.',
    ),
  ),
  disable_created_on_end: Type.Optional(DisableCreatedOnEnd),
  metadata: Type.Optional(Metadata),
};

const whatItMayDo = {
  preset: Type.Optional(
    Enum(PRESET_NAMES, {
      description:
        'A named set of scopes. The key gets those of its scopes that you have now. Either this or `scopes`.',
      examples: ['full'],
    }),
  ),
  scopes: Type.Optional(Scopes),
};

export const CreateApiKey = Strict({ name: Name, ...whatItMayDo, ...limitsOfKey });
export const UpdateApiKey = Strict({ name: Type.Optional(Name), ...whatItMayDo, ...limitsOfKey });

export const RotateApiKey = Strict({
  overlap_seconds: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 604_800,
      default: 86_400,
      description: 'How long the old secret stays valid; 0 ends it immediately.',
      examples: [3600],
    }),
  ),
});

export const RevokeApiKey = Strict({
  disable_created: Type.Optional(
    Type.Boolean({
      description:
        'Whether to disable what the key created in the same call: needs the write scope of each kind. Default: `disable_created_on_end` of the key. At most 1,000 objects are disabled before the response, the rest within a minute.',
      examples: [true],
    }),
  ),
});

export const RevokedApiKey = Type.Object(
  {
    ...ApiKey.properties,
    created_objects: Type.Object(CreatedObjects.properties, {
      description:
        'What the key had created and was enabled, of the kinds that you may read: the newest 100. `enabled` is false if this call disabled it. `GET /api-keys/{id}/created-objects` lists all.',
    }),
  },
  { title: 'RevokedApiKey' },
);

export const ApiKeyList = ListQuery({
  state: Type.Optional(Enum(KEY_STATES, { description: 'Only keys in this state.', examples: ['active'] })),
  ...createdFilters,
});

export type ApiKeyObject = Static<typeof ApiKey>;
export type CreateApiKeyBody = Static<typeof CreateApiKey>;
export type UpdateApiKeyBody = Static<typeof UpdateApiKey>;
export type RevokeApiKeyBody = Static<typeof RevokeApiKey>;
