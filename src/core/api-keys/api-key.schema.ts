/** API keys as the API shows them. */
import Type, { type Static } from 'typebox';
import { inWords } from '../../platform/http/pattern-words.ts';
import { characterExcept, CONTROL } from '../../platform/http/portable-pattern.ts';
import { ALL_SCOPES, PRESET_NAMES } from '../vocabulary/scopes.ts';
import { ScopeName } from '../auth/scope-name.schema.ts';
import { CreatedObjects } from '../created-objects/created-object.schema.ts';
import { RateLimit, RateLimitInput } from '../api/rate-limit.schema.ts';
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
} from '../../platform/http/schema.ts';
import { objectFields } from '../api/id-schema.ts';

export const KEY_STATES = ['active', 'expired', 'revoked'] as const;

const Scopes = Type.Array(ScopeName, {
  uniqueItems: true,
  maxItems: ALL_SCOPES.length,
  description: 'The permissions of the key, such as `links:read`. `GET /scopes` lists all scopes.',
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
  description: 'IP addresses or CIDR ranges that the key can be used from; empty for any.',
  examples: [['203.0.113.0/24', '2001:db8::/32']],
});
const AllowedOrigins = Type.Array(Type.String({ maxLength: 300 }), {
  maxItems: 20,
  description:
    'Origins of web pages that the key can be used from. Such a key is public: it can only have the scopes `models:read`, `models:invoke`, `links:create` and `publishing:publish`, requires an expiry and a rate limit, and works only with a listed `Origin`.',
  examples: [['https://www.example.com']],
});
const AllowedModels = Nullable(
  Type.Array(
    Type.String({
      minLength: 3,
      maxLength: 300,
      pattern: inWords(`^[^\\s/${CONTROL}]+/${characterExcept('')}+$`, 'must be the ID of a model'),
    }),
    {
      uniqueItems: true,
      maxItems: 100,
    },
  ),
  {
    description:
      'Models that the key can call: IDs of models, `route/name` for a model route, or `provider/*` for all models of a provider. Allowing a route allows the models it leads to, but only through the route. null for all models.',
    examples: [['openai/gpt-5-mini', 'ollama/*', 'route/fast']],
  },
);
const DisableCreatedOnEnd = Type.Boolean({
  description:
    'Whether the webhooks, rules, publishing endpoints, inspectors, instances and API keys that the key created are disabled when it is revoked or expires. Default: true for a key with `expires_at`, `allowed_ips` or `allowed_origins`, else false.',
  examples: [false],
});
const ExpiresAt = Timestamp('When the key expires; null for never.');

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
    allowed_models: AllowedModels,
    rate_limit: Nullable(RateLimit, {
      description:
        'The rate limit; null for none. Requests with a key that another key created also count against the rate limit of that key.',
      examples: [{ limit: 600, burst: 120 }],
    }),
    disable_created_on_end: DisableCreatedOnEnd,
    metadata: Metadata,
    last_used_at: Nullable(Timestamp('When the key was last used, accurate to about a second.')),
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
  allowed_models: Type.Optional(AllowedModels),
  rate_limit: Type.Optional(
    RateLimitInput(
      'A token bucket, a number of requests per minute, or null for no limit. Default: 600 requests per minute with a burst of 120.',
    ),
  ),
  disable_created_on_end: Type.Optional(DisableCreatedOnEnd),
  metadata: Type.Optional(Metadata),
};

const whatItMayDo = {
  preset: Type.Optional(
    Enum(PRESET_NAMES, {
      description:
        'A named set of scopes. The key gets those scopes of the preset that you currently have. `full` has every scope except `api_keys:write`: to let a key manage keys, set `scopes`. Set either `preset` or `scopes`.',
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
      description: 'How long the previous secret stays valid, in seconds. 0 expires it immediately.',
      examples: [3600],
    }),
  ),
});

export const RevokeApiKey = Strict({
  disable_created: Type.Optional(
    Type.Boolean({
      description:
        "Whether to disable the objects that the key created. Requires the write scope of each kind. Default: the key's `disable_created_on_end`. Up to 1,000 objects are disabled before the response, the rest within a minute.",
      examples: [true],
    }),
  ),
});

export const RevokedApiKey = Type.Object(
  {
    ...ApiKey.properties,
    created_objects: Type.Object(CreatedObjects.properties, {
      description:
        'The newest 100 enabled objects that the key created, of the kinds that you may read. `enabled` is false if this request disabled the object. `GET /api-keys/{id}/created-objects` lists all.',
    }),
  },
  { title: 'RevokedApiKey' },
);

export const ApiKeyList = ListQuery({
  search: searchFilter('name', 'deploy'),
  state: Type.Optional(Enum(KEY_STATES, { description: 'Only keys in this state.', examples: ['active'] })),
  ...createdFilters,
});

export type ApiKeyObject = Static<typeof ApiKey>;
export type CreateApiKeyBody = Static<typeof CreateApiKey>;
export type UpdateApiKeyBody = Static<typeof UpdateApiKey>;
export type RevokeApiKeyBody = Static<typeof RevokeApiKey>;
