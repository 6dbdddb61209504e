/**
 * The event catalog: every event type, the surface it belongs to and the scope that lets an actor see it. It drives
 * the event log, the stream, subscriptions and `GET /event-types`. The payloads (schema and sample) are declared by each
 * noun in `<noun>.events.ts` and declared by its surface (`core/surface.ts`). Types are stable: add, never rename.
 */
import type { Scope } from './scopes.ts';

export const SURFACES = ['getting_started', 'messaging', 'short_links', 'automation', 'models'] as const;
export type Surface = (typeof SURFACES)[number];

export interface CatalogEntry {
  surface: Surface;
  /** Actors with this scope see events of this type. */
  scope: Scope;
  /** Whether the event is written only while a webhook, a rule or an open stream wants it (wants.ts). */
  onDemand?: boolean;
}

const ENTRIES = {
  'workspace.created': { surface: 'getting_started', scope: 'workspaces:read' },
  'workspace.updated': { surface: 'getting_started', scope: 'workspaces:read' },
  'workspace.deleted': { surface: 'getting_started', scope: 'workspaces:read' },
  'member.added': { surface: 'getting_started', scope: 'members:read' },
  'member.updated': { surface: 'getting_started', scope: 'members:read' },
  'member.removed': { surface: 'getting_started', scope: 'members:read' },
  'invitation.created': { surface: 'getting_started', scope: 'members:read' },
  'invitation.accepted': { surface: 'getting_started', scope: 'members:read' },
  'invitation.revoked': { surface: 'getting_started', scope: 'members:read' },
  'api_key.created': { surface: 'getting_started', scope: 'api_keys:read' },
  'api_key.updated': { surface: 'getting_started', scope: 'api_keys:read' },
  'api_key.rotated': { surface: 'getting_started', scope: 'api_keys:read' },
  'api_key.revoked': { surface: 'getting_started', scope: 'api_keys:read' },
  'webhook.created': { surface: 'getting_started', scope: 'webhooks:read' },
  'webhook.updated': { surface: 'getting_started', scope: 'webhooks:read' },
  'webhook.disabled': { surface: 'getting_started', scope: 'webhooks:read' },
  'webhook.deleted': { surface: 'getting_started', scope: 'webhooks:read' },
  'instance.created': { surface: 'messaging', scope: 'instances:read' },
  'instance.updated': { surface: 'messaging', scope: 'instances:read' },
  'instance.state_changed': { surface: 'messaging', scope: 'instances:read' },
  'instance.update_unprocessed': { surface: 'messaging', scope: 'messages:read' },
  'instance.deleted': { surface: 'messaging', scope: 'instances:read' },
  'message.scheduled': { surface: 'messaging', scope: 'messages:read' },
  'message.queued': { surface: 'messaging', scope: 'messages:read' },
  'message.sent': { surface: 'messaging', scope: 'messages:read' },
  'message.delivered': { surface: 'messaging', scope: 'messages:read' },
  'message.read': { surface: 'messaging', scope: 'messages:read' },
  'message.failed': { surface: 'messaging', scope: 'messages:read' },
  'message.canceled': { surface: 'messaging', scope: 'messages:read' },
  'message.received': { surface: 'messaging', scope: 'messages:read' },
  'message.edited': { surface: 'messaging', scope: 'messages:read' },
  'message.deleted': { surface: 'messaging', scope: 'messages:read' },
  'message.reaction': { surface: 'messaging', scope: 'messages:read' },
  'chat.updated': { surface: 'messaging', scope: 'chats:read' },
  'group.created': { surface: 'messaging', scope: 'groups:read' },
  'group.updated': { surface: 'messaging', scope: 'groups:read' },
  'group.participants_changed': { surface: 'messaging', scope: 'groups:read' },
  'group.joined': { surface: 'messaging', scope: 'groups:read' },
  'group.left': { surface: 'messaging', scope: 'groups:read' },
  'contact.created': { surface: 'messaging', scope: 'contacts:read' },
  'contact.updated': { surface: 'messaging', scope: 'contacts:read' },
  'contact.deleted': { surface: 'messaging', scope: 'contacts:read' },
  'link.created': { surface: 'short_links', scope: 'links:read' },
  'link.updated': { surface: 'short_links', scope: 'links:read' },
  'link.deleted': { surface: 'short_links', scope: 'links:read' },
  'link.listed': { surface: 'short_links', scope: 'links:read', onDemand: true },
  'domain.verified': { surface: 'short_links', scope: 'domains:read' },
  'domain.failed': { surface: 'short_links', scope: 'domains:read' },
  'link.clicked': { surface: 'short_links', scope: 'links:read', onDemand: true },
  'publishing_endpoint.created': { surface: 'automation', scope: 'publishing:read' },
  'publishing_endpoint.updated': { surface: 'automation', scope: 'publishing:read' },
  'publishing_endpoint.deleted': { surface: 'automation', scope: 'publishing:read' },
  'publication.received': { surface: 'automation', scope: 'publishing:read' },
  'publication.scheduled': { surface: 'automation', scope: 'publishing:read' },
  'publication.published': { surface: 'automation', scope: 'publishing:read' },
  'publication.partially_published': { surface: 'automation', scope: 'publishing:read' },
  'publication.failed': { surface: 'automation', scope: 'publishing:read' },
  'publication.rejected': { surface: 'automation', scope: 'publishing:read' },
  'publication.duplicate': { surface: 'automation', scope: 'publishing:read' },
  'publication.canceled': { surface: 'automation', scope: 'publishing:read' },
  'rule.created': { surface: 'automation', scope: 'rules:read' },
  'rule.updated': { surface: 'automation', scope: 'rules:read' },
  'rule.deleted': { surface: 'automation', scope: 'rules:read' },
  'rule.run': { surface: 'automation', scope: 'rules:read' },
  'rule.failed': { surface: 'automation', scope: 'rules:read' },
  'model_provider.created': { surface: 'models', scope: 'providers:read' },
  'model_provider.updated': { surface: 'models', scope: 'providers:read' },
  'model_provider.deleted': { surface: 'models', scope: 'providers:read' },
  'model_provider.failing': { surface: 'models', scope: 'providers:read' },
  'model_provider.recovered': { surface: 'models', scope: 'providers:read' },
  'budget.threshold_reached': { surface: 'models', scope: 'providers:read' },
  'import.completed': { surface: 'getting_started', scope: 'events:read' },
  ping: { surface: 'getting_started', scope: 'events:read' },
} satisfies Record<string, CatalogEntry>;

export type EventType = keyof typeof ENTRIES;

export const CATALOG: Readonly<Record<EventType, CatalogEntry>> = ENTRIES;

/** All types, in the order of the catalog. */
export const EVENT_TYPES = Object.keys(CATALOG) as EventType[];

export const isEventType = (value: string): value is EventType => Object.hasOwn(CATALOG, value);

/** The types that holders of `scopes` may see. */
export const typesVisibleTo = (scopes: ReadonlySet<Scope>): EventType[] =>
  EVENT_TYPES.filter((type) => scopes.has(CATALOG[type].scope));

/**
 * Returns whether holders of `scopes` may see events of a type. Types that are no longer in the catalog are hidden from
 * everyone.
 */
export const maySeeType = (scopes: ReadonlySet<Scope>, type: string): boolean =>
  isEventType(type) && scopes.has(CATALOG[type].scope);

/**
 * Expands a pattern: an exact type, `noun.*`, or `*`.
 * @returns null if it matches no type, for example because of a typo
 */
export function typesMatching(pattern: string): EventType[] | null {
  if (pattern === '*') return EVENT_TYPES;
  if (isEventType(pattern)) return [pattern];
  if (!pattern.endsWith('.*')) return null;
  const found = EVENT_TYPES.filter((type) => type.startsWith(pattern.slice(0, -1)));
  return found.length ? found : null;
}

/** The patterns that mean a type, as `typesMatching` reads them: itself, `noun.*`, `*`. */
export function getPatterns(type: EventType): string[] {
  const parts = type.split('.');
  const nouns = parts.slice(1).map((_, index) => `${parts.slice(0, index + 1).join('.')}.*`);
  return [type, ...nouns, '*'];
}
