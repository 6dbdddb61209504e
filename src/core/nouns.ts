/**
 * The nouns of the product: what each `object` of the API needs beside its own operations. IDs have their prefixes in
 * platform/http/ids.ts.
 */
import type { Scope } from './auth/scopes.ts';

export interface AuditedFields {
  /** Field that names the object in the audit log. */
  name: string;
  /**
   * Fields whose values are recorded when they change. None of them holds a secret, or personal data that an erasure
   * removes: contacts, chats and messages are therefore left out.
   */
  fields: readonly string[];
}

type Shown = Record<string, unknown>;

export interface Noun {
  /** Scope of the operation that reads it. Without the scope, the answer to a write shows only `id` and `object`. */
  read?: Scope;
  audited?: AuditedFields;
  /** Path of its page in the console, below that of the workspace, as web/app has it. */
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

const NOUNS: Record<string, Noun> = {
  workspace: {
    read: 'workspaces:read',
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
  member: { read: 'members:read', audited: { name: 'name', fields: ['role'] }, page: list('members') },
  invitation: { read: 'members:read', audited: { name: 'email', fields: [] }, page: list('members') },
  api_key: {
    read: 'api_keys:read',
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
  audit_entry: { read: 'audit:read' },
  request: { read: 'audit:read' },
  event: { read: 'events:read' },
  // The URL of a webhook, and of an inspector, may be a credential.
  webhook: {
    read: 'webhooks:read',
    audited: {
      name: 'description',
      fields: ['description', 'events', 'filters', 'enabled', 'rate_limit', 'concurrency', 'ordering'],
    },
    page: toPage('webhooks'),
  },
  webhook_kind: { read: 'webhooks:read' },
  delivery: { read: 'webhooks:read' },
  attempt: { read: 'webhooks:read' },
  inspector: { read: 'webhooks:read', audited: { name: 'name', fields: ['name'] } },
  inspector_request: { read: 'webhooks:read' },

  channel: { read: 'instances:read' },
  instance: {
    read: 'instances:read',
    audited: { name: 'name', fields: ['name', 'queue_ttl_seconds', 'resend_unknown'] },
    page: toPage('instances'),
  },
  unprocessed_update: { read: 'messages:read' },
  message: {
    read: 'messages:read',
    page: ({ chat }) => `chats/${get((chat ?? {}) as Shown, 'id')}`,
  },
  chat: { read: 'chats:read', page: toPage('chats') },
  group: { read: 'groups:read', page: toPage('groups') },
  contact: { read: 'contacts:read', page: list('contacts') },
  media: { read: 'media:read' },

  link: {
    read: 'links:read',
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
  tag: { read: 'links:read', audited: { name: 'name', fields: ['name', 'color'] } },
  click: { read: 'links:read' },
  domain: {
    read: 'domains:read',
    audited: { name: 'host', fields: ['not_found_url', 'root_url'] },
    page: list('domains'),
  },

  publishing_endpoint: {
    read: 'publishing:read',
    audited: {
      name: 'name',
      fields: ['name', 'enabled', 'allow_partial', 'success_status', 'rate_limit'],
    },
    page: toPage('publishing'),
  },
  publishing_sample: { read: 'publishing:read' },
  publication: { read: 'publishing:read', page: toPage('publishing', 'endpoint_id') },
  rule: {
    read: 'rules:read',
    audited: { name: 'name', fields: ['name', 'description', 'enabled', 'events', 'rate_limit'] },
    // Events of rules have the rule or one of its runs.
    page: (object) => `rules/${get(object, 'rule_id') || get(object, 'id')}`,
  },
  rule_run: { read: 'rules:read' },

  model: { read: 'models:read' },
  model_call: { read: 'audit:read' },
  // The path of a provider's URL may be a credential.
  model_provider: {
    read: 'providers:read',
    audited: {
      name: 'name',
      fields: ['name', 'slug', 'models', 'prices', 'timeout_seconds', 'max_concurrency', 'enabled'],
    },
    page: toPage('model-providers'),
  },
  model_provider_kind: { read: 'providers:read' },
  model_provider_model: { read: 'providers:read' },
  model_route: { read: 'models:read', audited: { name: 'name', fields: ['name', 'attempts'] } },
  budget: {
    read: 'providers:read',
    audited: { name: 'name', fields: ['name', 'limit'] },
    page: (object) => `budgets?id=${get(object, 'id')}`,
  },
};

const byName: ReadonlyMap<unknown, Noun> = new Map(Object.entries(NOUNS));

/** @param name `object` of an API object, or the first part of an event type */
export const getNoun = (name: unknown): Noun | undefined => byName.get(name);

/** `object` → scope of the operation that reads it, for all that have one. */
export const READ_SCOPES: ReadonlyMap<unknown, Scope> = new Map(
  Object.entries(NOUNS).flatMap(([name, { read }]) => (read === undefined ? [] : [[name, read] as const])),
);
