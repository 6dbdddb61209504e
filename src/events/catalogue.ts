/**
 * The one event catalogue: type → surface, scope, meaning, schema and sample. It drives who sees what in the log, the
 * stream, `GET /event-types` and the documentation. Each noun declares its types beside itself; here they come
 * together. Types are stable: add, never rename.
 */
import { apiKeyEvents } from '../api-keys/api-key.events.ts';
import type { Scope } from '../auth/scopes.ts';
import { chatEvents } from '../messaging/chats/chat.events.ts';
import { contactEvents } from '../messaging/contacts/contact.events.ts';
import { groupEvents } from '../messaging/groups/group.events.ts';
import { clickEvents } from '../links/clicks/click.events.ts';
import { domainEvents } from '../links/domains/domain.events.ts';
import { linkEvents } from '../links/link.events.ts';
import { messageEvents } from '../messaging/messages/message.events.ts';
import { invitationEvents } from '../workspaces/invitation.events.ts';
import { instanceEvents } from '../messaging/instances/instance.events.ts';
import { webhookEvents } from '../webhooks/webhook.events.ts';
import { memberEvents } from '../workspaces/member.events.ts';
import { workspaceEvents } from '../workspaces/workspace.events.ts';
import { publicationEvents } from '../automation/publications/publication.events.ts';
import { publishingEndpointEvents } from '../automation/publishing-endpoints/publishing-endpoint.events.ts';
import { ruleEvents } from '../automation/rules/rule.events.ts';
import { jobEvents } from '../jobs/job.events.ts';
import type { EventKind } from './event-kind.ts';
import { pingEvents } from './ping.events.ts';

export const CATALOGUE = {
  ...workspaceEvents,
  ...memberEvents,
  ...invitationEvents,
  ...apiKeyEvents,
  ...webhookEvents,
  ...instanceEvents,
  ...messageEvents,
  ...chatEvents,
  ...groupEvents,
  ...contactEvents,
  ...linkEvents,
  ...domainEvents,
  ...clickEvents,
  ...publishingEndpointEvents,
  ...publicationEvents,
  ...ruleEvents,
  ...jobEvents,
  ...pingEvents,
} satisfies Record<string, EventKind>;

export type EventType = keyof typeof CATALOGUE;

/** All types, in the order of the catalogue. */
export const EVENT_TYPES = Object.keys(CATALOGUE) as EventType[];

export const isEventType = (value: string): value is EventType => Object.hasOwn(CATALOGUE, value);

/** The types that holders of `scopes` may see. */
export const typesVisibleTo = (scopes: ReadonlySet<Scope>): EventType[] =>
  EVENT_TYPES.filter((type) => scopes.has(CATALOGUE[type].scope));

/** Whether holders of `scopes` may see an event of a type; one that the catalogue has no more is shown to nobody. */
export const maySeeType = (scopes: ReadonlySet<Scope>, type: string): boolean =>
  isEventType(type) && scopes.has(CATALOGUE[type].scope);

/**
 * The types that a pattern means: an exact type, `noun.*`, or `*`.
 * @returns null when it means none: a slip of the pen, to be told to the caller.
 */
export function typesMatching(pattern: string): EventType[] | null {
  if (pattern === '*') return EVENT_TYPES;
  if (isEventType(pattern)) return [pattern];
  if (!pattern.endsWith('.*')) return null;
  const found = EVENT_TYPES.filter((type) => type.startsWith(pattern.slice(0, -1)));
  return found.length ? found : null;
}

/** The patterns that mean a type, as `typesMatching` reads them: itself, `noun.*`, `*`. */
export function patternsOf(type: EventType): string[] {
  const parts = type.split('.');
  const nouns = parts.slice(1).map((_, index) => `${parts.slice(0, index + 1).join('.')}.*`);
  return [type, ...nouns, '*'];
}
