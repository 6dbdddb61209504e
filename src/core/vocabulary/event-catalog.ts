/**
 * The event catalog: every event type, the surface it belongs to and the scope that lets an actor see it, as nouns.ts
 * declares them. It drives the event log, the stream, subscriptions and `GET /event-types`. The payloads (schema and sample) are declared by each
 * noun in `<noun>.events.ts` and declared by its surface (`core/surface.ts`). Types are stable: add, never rename.
 */
import { ALL_NOUNS, type Noun, type Nouns, type SurfaceName } from './nouns.ts';
import type { Scope } from './scopes.ts';

export interface CatalogEntry {
  surface: SurfaceName;
  /** Actors with this scope see events of this type. */
  scope: Scope;
  /** Whether the event is written only while a webhook, a rule or an open stream wants it (wants.ts). */
  onDemand?: boolean;
}

/** Event types of nouns, by the member that lists them. */
export type TypeOf<Key extends 'events' | 'liveEvents'> = {
  [Name in keyof Nouns]: Nouns[Name] extends Readonly<Record<Key, readonly (infer Event extends string)[]>>
    ? `${Name}.${Event}`
    : never;
}[keyof Nouns];

const toEntry = ({ surface, read, eventScopes, onDemand }: Noun, event: string): CatalogEntry => ({
  surface: surface!,
  scope: eventScopes?.[event] ?? read!,
  ...(onDemand?.includes(event) ? { onDemand: true } : {}),
});

/** Entries of the event types of nouns. */
export const getEntries = <Key extends 'events' | 'liveEvents'>(key: Key) =>
  Object.fromEntries(
    ALL_NOUNS.flatMap(([name, noun]) =>
      (noun[key] ?? []).map((event) => [`${name}.${event}`, toEntry(noun, event)]),
    ),
  ) as Record<TypeOf<Key>, CatalogEntry>;

/** Types that are of no noun. */
const OTHERS = {
  'import.completed': { surface: 'getting_started', scope: 'events:read' },
  ping: { surface: 'getting_started', scope: 'events:read' },
} satisfies Record<string, CatalogEntry>;

export type EventType = TypeOf<'events'> | keyof typeof OTHERS;

export const CATALOG: Readonly<Record<EventType, CatalogEntry>> = { ...getEntries('events'), ...OTHERS };

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
