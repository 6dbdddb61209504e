/** The nouns of the product: the declarations that each `object` of the API needs besides its operations. */
import { REQUEST_PREFIX } from '../../platform/http/ids.ts';
import type { Scope } from './scopes.ts';

export interface AuditedFields {
  /** Field that names the object in the audit log. */
  name: string;
  /**
   * Fields whose values are recorded when they change. None of them holds a secret, or personal data that an erasure
   * removes: contacts, chats and messages are therefore left out.
   */
  fields: readonly string[];
}

export const SURFACE_NAMES = ['getting_started', 'messaging', 'short_links', 'automation', 'models'] as const;
export type SurfaceName = (typeof SURFACE_NAMES)[number];

type Shown = Record<string, unknown>;

export interface Noun {
  /** Prefix of its public IDs. */
  prefix?: string;
  /** Scope of the operation that reads it. Without the scope, the answer to a write shows only `id` and `object`. */
  read?: Scope;
  /** Of its events and live events. */
  surface?: SurfaceName;
  /** Events of the noun. Their types are `<noun>.<event>`. Types are stable: add, never rename. */
  events?: readonly string[];
  /** Events that are written only while a webhook, a rule or an open stream wants them (events/wants.ts). */
  onDemand?: readonly string[];
  /** Scopes of events that `read` doesn't show. */
  eventScopes?: Readonly<Record<string, Scope>>;
  /** Events that exist on the stream alone (live-catalog.ts). */
  liveEvents?: readonly string[];
  /** Quotas of a workspace for the noun (WORKSPACE_LIMITS). */
  quotas?: readonly string[];
  audited?: AuditedFields;
  /** Path of the object's page in the console, below that of the workspace, as in web/app. */
  page?: (object: Shown) => string;
}

const get = (object: Shown, name: string): string => (typeof object[name] === 'string' ? object[name] : '');
/** A page of its own. */
const toPage =
  (path: string, id = 'id') =>
  (object: Shown): string =>
    `${path}/${get(object, id)}`;
/** A list. */
const list = (path: string) => (): string => path;

const NOUNS = {
  job: { prefix: 'job' },
  session: { prefix: 'ses' },
  user: { prefix: 'usr' },
  workspace: {
    prefix: 'ws',
    read: 'workspaces:read',
    surface: 'getting_started',
    events: ['created', 'updated', 'deleted'],
    audited: {
      name: 'name',
      fields: [
        'name',
        'slug',
        'media_retention_days',
        'message_retention_days',
        'click_addresses',
        'time_zone',
        'store_model_calls',
      ],
    },
    page: list('settings'),
  },
  member: {
    read: 'members:read',
    surface: 'getting_started',
    events: ['added', 'updated', 'removed'],
    quotas: ['members'],
    audited: { name: 'name', fields: ['role'] },
    page: list('members'),
  },
  invitation: {
    prefix: 'inv',
    read: 'members:read',
    surface: 'getting_started',
    events: ['created', 'accepted', 'revoked'],
    quotas: ['invitations'],
    audited: { name: 'email', fields: [] },
    page: list('members'),
  },
  api_key: {
    prefix: 'key',
    read: 'api_keys:read',
    surface: 'getting_started',
    events: ['created', 'updated', 'rotated', 'revoked'],
    quotas: ['api_keys'],
    audited: {
      name: 'name',
      fields: [
        'name',
        'scopes',
        'expires_at',
        'allowed_ips',
        'allowed_origins',
        'allowed_models',
        'rate_limit',
        'disable_created_on_end',
      ],
    },
    page: list('api-keys'),
  },
  created_object: { read: 'api_keys:read' },
  audit_entry: { prefix: 'aud', read: 'audit:read' },
  request: { prefix: REQUEST_PREFIX, read: 'audit:read' },
  event: { prefix: 'evt', read: 'events:read' },
  // The URL of a webhook, and of an inspector, may be a credential.
  webhook: {
    prefix: 'whk',
    read: 'webhooks:read',
    surface: 'getting_started',
    events: ['created', 'updated', 'disabled', 'deleted'],
    quotas: ['webhooks'],
    audited: {
      name: 'description',
      fields: ['description', 'events', 'filters', 'enabled', 'rate_limit', 'concurrency', 'ordering'],
    },
    page: toPage('webhooks'),
  },
  webhook_kind: { read: 'webhooks:read' },
  delivery: { prefix: 'dlv', read: 'webhooks:read' },
  attempt: { prefix: 'att', read: 'webhooks:read' },
  inspector: { prefix: 'insp', read: 'webhooks:read', audited: { name: 'name', fields: ['name'] } },
  inspector_request: { prefix: 'ireq', read: 'webhooks:read' },

  channel: { read: 'instances:read' },
  instance: {
    prefix: 'ins',
    read: 'instances:read',
    surface: 'messaging',
    events: ['created', 'updated', 'state_changed', 'update_unprocessed', 'deleted'],
    eventScopes: { update_unprocessed: 'messages:read' },
    quotas: ['instances'],
    audited: { name: 'name', fields: ['name', 'queue_ttl_seconds', 'resend_unknown'] },
    page: toPage('instances'),
  },
  unprocessed_update: { prefix: 'upd', read: 'messages:read' },
  message: {
    prefix: 'msg',
    read: 'messages:read',
    surface: 'messaging',
    events: [
      'scheduled',
      'queued',
      'sent',
      'delivered',
      'read',
      'failed',
      'canceled',
      'received',
      'edited',
      'deleted',
      'reaction',
    ],
    page: ({ chat }) => `chats/${get((chat ?? {}) as Shown, 'id')}`,
  },
  chat: {
    prefix: 'chat',
    read: 'chats:read',
    surface: 'messaging',
    events: ['updated'],
    liveEvents: ['typing'],
    page: toPage('chats'),
  },
  group: {
    prefix: 'grp',
    read: 'groups:read',
    surface: 'messaging',
    events: ['created', 'updated', 'participants_changed', 'joined', 'left'],
    page: toPage('groups'),
  },
  contact: {
    prefix: 'con',
    read: 'contacts:read',
    surface: 'messaging',
    events: ['created', 'updated', 'deleted'],
    liveEvents: ['presence'],
    quotas: ['contacts'],
    page: list('contacts'),
  },
  media: { prefix: 'med', read: 'media:read', quotas: ['media', 'media_bytes'] },

  link: {
    prefix: 'lnk',
    read: 'links:read',
    surface: 'short_links',
    events: ['created', 'updated', 'deleted', 'listed', 'clicked'],
    onDemand: ['listed', 'clicked'],
    quotas: ['links'],
    audited: {
      name: 'short_url',
      fields: [
        'domain',
        'slug',
        'url',
        'title',
        'description',
        'tags',
        'expires_at',
        'expired_url',
        'max_clicks',
        'has_password',
        'redirect_status',
      ],
    },
    page: toPage('links'),
  },
  tag: { prefix: 'tag', read: 'links:read', audited: { name: 'name', fields: ['name', 'color'] } },
  click: { prefix: 'clk', read: 'links:read' },
  domain: {
    prefix: 'dom',
    read: 'domains:read',
    surface: 'short_links',
    events: ['verified', 'failed'],
    quotas: ['domains'],
    audited: { name: 'host', fields: ['not_found_url', 'root_url'] },
    page: list('domains'),
  },

  publishing_endpoint: {
    prefix: 'pep',
    read: 'publishing:read',
    surface: 'automation',
    events: ['created', 'updated', 'deleted'],
    quotas: ['publishing_endpoints'],
    audited: {
      name: 'name',
      fields: ['name', 'enabled', 'allow_partial', 'success_status', 'rate_limit'],
    },
    page: toPage('publishing'),
  },
  publishing_sample: { read: 'publishing:read' },
  publication: {
    prefix: 'pub',
    read: 'publishing:read',
    surface: 'automation',
    events: [
      'received',
      'scheduled',
      'published',
      'partially_published',
      'failed',
      'rejected',
      'duplicate',
      'canceled',
    ],
    page: toPage('publishing', 'endpoint_id'),
  },
  rule: {
    prefix: 'rul',
    read: 'rules:read',
    surface: 'automation',
    events: ['created', 'updated', 'deleted', 'run', 'failed'],
    quotas: ['rules'],
    audited: { name: 'name', fields: ['name', 'description', 'enabled', 'events', 'rate_limit'] },
    // Events of rules have the rule or one of its runs.
    page: (object) => `rules/${get(object, 'rule_id') || get(object, 'id')}`,
  },
  rule_run: { prefix: 'run', read: 'rules:read' },

  model: { read: 'models:read' },
  model_call: { prefix: 'mcl', read: 'audit:read' },
  // The path of a provider's URL may be a credential.
  model_provider: {
    prefix: 'prv',
    read: 'providers:read',
    surface: 'models',
    events: ['created', 'updated', 'deleted', 'failing', 'recovered'],
    quotas: ['model_providers'],
    audited: {
      name: 'name',
      fields: ['name', 'slug', 'models', 'prices', 'timeout_seconds', 'max_concurrency', 'enabled'],
    },
    page: toPage('model-providers'),
  },
  model_provider_kind: { read: 'providers:read' },
  model_provider_model: { read: 'providers:read' },
  model_route: {
    prefix: 'rte',
    read: 'models:read',
    quotas: ['model_routes'],
    audited: { name: 'name', fields: ['name', 'attempts'] },
  },
  budget: {
    prefix: 'bud',
    read: 'providers:read',
    surface: 'models',
    events: ['threshold_reached'],
    quotas: ['budgets'],
    audited: { name: 'name', fields: ['name', 'limit'] },
    page: (object) => `budgets?id=${get(object, 'id')}`,
  },
} as const satisfies Record<string, Noun>;

export type Nouns = typeof NOUNS;
/** All nouns, in the order in which lists show them. */
export const ALL_NOUNS: readonly (readonly [name: string, noun: Noun])[] = Object.entries<Noun>(NOUNS);

/** The union of the values that all nouns list under `Key`. */
export type ListedByNouns<Key extends keyof Noun> = {
  [Name in keyof Nouns]: Nouns[Name] extends Readonly<Record<Key, readonly (infer One)[]>> ? One : never;
}[keyof Nouns];

/** Nouns with public IDs. */
export type IdKind = {
  [Kind in keyof typeof NOUNS]: (typeof NOUNS)[Kind] extends { prefix: string } ? Kind : never;
}[keyof typeof NOUNS];

/** Prefixes of public IDs, as `msg` of `msg_01h2xcejqtf2nbrexx3vqjhp41`. */
export const ID_PREFIXES = Object.fromEntries(
  Object.entries<Noun>(NOUNS).flatMap(([kind, { prefix }]) => (prefix === undefined ? [] : [[kind, prefix]])),
) as Record<IdKind, string>;

const byName: ReadonlyMap<unknown, Noun> = new Map(Object.entries(NOUNS));

/** @param name `object` of an API object, or the first part of an event type */
export const getNoun = (name: unknown): Noun | undefined => byName.get(name);

/** `object` → scope of the operation that reads it, for all that have one. */
export const READ_SCOPES: ReadonlyMap<unknown, Scope> = new Map(
  Object.entries<Noun>(NOUNS).flatMap(([name, { read }]) =>
    read === undefined ? [] : [[name, read] as const],
  ),
);
