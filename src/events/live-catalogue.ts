/**
 * Types of events that come on the stream alone: they tell what is so now and of interest for seconds. They are never
 * stored, have no sequence, and go to no webhook; hence they are no part of the other catalogue, whose types may be
 * written to the log and subscribed to. Names are unique over both.
 */
import type { Scope } from '../auth/scopes.ts';
import { liveMessagingEvents } from '../messaging/live/live.events.ts';
import type { EventKind } from './event-kind.ts';

export const LIVE_CATALOGUE = { ...liveMessagingEvents } satisfies Record<string, EventKind>;

export type LiveType = keyof typeof LIVE_CATALOGUE;

/** All types, in the order of the catalogue. */
export const LIVE_TYPES = Object.keys(LIVE_CATALOGUE) as LiveType[];

export const isLiveType = (value: string): value is LiveType => Object.hasOwn(LIVE_CATALOGUE, value);

/** The types that holders of `scopes` may see. */
export const liveTypesVisibleTo = (scopes: ReadonlySet<Scope>): LiveType[] =>
  LIVE_TYPES.filter((type) => scopes.has(LIVE_CATALOGUE[type].scope));

/** The types that a pattern means: an exact type, `noun.*`, or `*`; none where it means none. */
export function liveTypesMatching(pattern: string): LiveType[] {
  if (pattern === '*') return LIVE_TYPES;
  if (isLiveType(pattern)) return [pattern];
  if (!pattern.endsWith('.*')) return [];
  return LIVE_TYPES.filter((type) => type.startsWith(pattern.slice(0, -1)));
}
