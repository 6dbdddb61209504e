/** Reads the event log: which events a caller may see, from which position, and the retention period. */
import type { Scope } from '../vocabulary/scopes.ts';
import type { Db } from '../../platform/db/database.ts';
import type { ReadUnit } from '../unit/unit-of-work.ts';
import { publicId } from '../vocabulary/ids.ts';
import { type List, toList, type Page } from '../../platform/http/pagination.ts';
import { type FieldError, invalid, notFound, Problem } from '../../platform/http/problem.ts';
import {
  CATALOG,
  EVENT_TYPES,
  type EventType,
  typesMatching,
  typesVisibleTo,
} from '../vocabulary/event-catalog.ts';
import { API_VERSION, type EventObject } from './event.schema.ts';
import {
  isLiveType,
  LIVE_CATALOG,
  type LiveType,
  liveTypesMatching,
  liveTypesVisibleTo,
} from '../vocabulary/live-catalog.ts';
import * as store from './event.store.ts';

const MAX_FAULTS = 50;

export const presentEvent = (row: store.EventRow): EventObject => ({
  id: publicId('event', row.id),
  object: 'event',
  type: row.type,
  created_at: row.created_at.toISOString(),
  workspace_id: publicId('workspace', row.workspace_id),
  sequence: row.sequence,
  api_version: API_VERSION,
  data: row.data,
  truncated: row.truncated,
  caused_by: row.chain?.map((link) => link.rule_id) ?? null,
});

/** The field error for a pattern that matches no event type. */
export const toUnknownTypeError = (pattern: string, pointer: string): FieldError =>
  isLiveType(pattern)
    ? {
        pointer,
        code: 'stream_only_event_type',
        detail: `${pattern} is only available on GET /events/stream: it is not stored and not sent to webhooks`,
      }
    : {
        pointer,
        code: 'unknown_event_type',
        detail: `"${pattern.slice(0, 100)}" is not an event type; GET /event-types lists them`,
      };

const patternsIn = (asked: string): string[] => asked.split(',').map((pattern) => pattern.trim());

function assertKnown(unknown: readonly string[]): void {
  const faults = unknown.map((pattern) => toUnknownTypeError(pattern, '?type'));
  if (faults.length) throw invalid(faults.slice(0, MAX_FAULTS));
}

const lackingScope = (needed: readonly Scope[]): Problem =>
  new Problem(
    'insufficient_scope',
    `Reading these events requires the scope ${[...new Set(needed)].join(' or ')}.`,
  );

/**
 * The types that a caller asks for, of those that its scopes let it see; null for all there are.
 * @param asked comma-separated names and patterns
 * @throws Problem invalid_request for one that means no type, insufficient_scope where none of them may be seen
 */
export function wantedTypes(scopes: ReadonlySet<Scope>, asked: string | undefined): EventType[] | null {
  const visible = typesVisibleTo(scopes);
  if (asked === undefined) return visible.length === EVENT_TYPES.length ? null : visible;
  const patterns = patternsIn(asked);
  assertKnown(patterns.filter((pattern) => !typesMatching(pattern)));
  const wanted = [...new Set(patterns.flatMap((pattern) => typesMatching(pattern) ?? []))];
  const shown = wanted.filter((type) => visible.includes(type));
  if (shown.length) return shown;
  throw lackingScope(wanted.map((type) => CATALOG[type].scope));
}

export interface WantedOnStream {
  /** Of the log; null for all there are. */
  types: EventType[] | null;
  /** Those that come on the stream alone. */
  live: LiveType[];
}

/**
 * Does the same for the stream, which has types besides those of the log.
 * @throws Problem invalid_request, insufficient_scope
 */
export function wantedOnStream(scopes: ReadonlySet<Scope>, asked: string | undefined): WantedOnStream {
  const visible = liveTypesVisibleTo(scopes);
  if (asked === undefined) return { types: wantedTypes(scopes, undefined), live: visible };
  const patterns = patternsIn(asked);
  assertKnown(patterns.filter((pattern) => !typesMatching(pattern) && !liveTypesMatching(pattern).length));
  const wanted = [...new Set(patterns.flatMap((pattern) => typesMatching(pattern) ?? []))];
  const wantedLive = [...new Set(patterns.flatMap(liveTypesMatching))];
  const types = wanted.filter((type) => typesVisibleTo(scopes).includes(type));
  const live = wantedLive.filter((type) => visible.includes(type));
  if (types.length || live.length) return { types, live };
  throw lackingScope([
    ...wanted.map((type) => CATALOG[type].scope),
    ...wantedLive.map((type) => LIVE_CATALOG[type].scope),
  ]);
}

/**
 * Call after reading from `after`: events are marked as expired before they are deleted, so a read that may have missed
 * some is detected.
 * @throws Problem sequence_expired
 */
export async function assertRetained(db: Db, workspaceId: string, after: number): Promise<store.LogBounds> {
  const bounds = await store.getBounds(db, workspaceId);
  if (after < bounds.expiredThrough)
    throw new Problem(
      'sequence_expired',
      `Events up to sequence ${bounds.expiredThrough} are no longer stored. You requested those after ${after}.`,
    );
  return bounds;
}

const CURSOR = /^[ad]\d{1,16}$/;

/** Whether a decoded cursor can be one of the list of events: a direction and a sequence. */
export const isEventCursor = (key: string): boolean => CURSOR.test(key);

export interface EventQuery {
  types: EventType[] | null;
  /** In order from here; null for newest first. */
  afterSequence: number | null;
  resourceId?: string;
  createdAfter?: Date;
  createdBefore?: Date;
}

/** @throws Problem invalid_cursor, sequence_expired */
export async function listEvents(
  unit: ReadUnit,
  workspaceId: string,
  page: Page,
  { afterSequence, ...filter }: EventQuery,
): Promise<List<EventObject>> {
  const ascending = afterSequence !== null;
  const direction = ascending ? 'a' : 'd';
  if (page.after !== null && !page.after.startsWith(direction))
    throw new Problem('invalid_cursor', 'The cursor belongs to the opposite sort order.');
  const position = page.after === null ? afterSequence : Number(page.after.slice(1));
  const rows = ascending
    ? await store.listAfter(unit.db, workspaceId, position!, page.limit + 1, filter)
    : await store.listNewest(unit.db, workspaceId, position, page.limit + 1, filter);
  if (ascending) await assertRetained(unit.db, workspaceId, position!);
  return toList(rows, page, ({ sequence }) => `${direction}${sequence}`, presentEvent);
}

/** @throws Problem not_found, also for a type that the caller may not see */
export async function getEvent(
  unit: ReadUnit,
  workspaceId: string,
  id: string,
  scopes: ReadonlySet<Scope>,
): Promise<EventObject> {
  const row = await store.getEvent(unit.db, workspaceId, id);
  const types = wantedTypes(scopes, undefined);
  if (!row || (types !== null && !(types as string[]).includes(row.type))) throw notFound('event');
  return presentEvent(row);
}
