/**
 * Writes events to the outbox, in the transaction of the change that they describe. The sequencer moves them to the
 * log after that transaction has committed.
 */
import { type RawBuilder, sql } from 'kysely';
import { crc32 } from 'node:zlib';
import type { Db } from '../../platform/db/database.ts';
import { timeOfUuid } from '../../platform/db/uuid-time.ts';
import type { EventType } from '../vocabulary/event-catalog.ts';
import { toPayload } from './event-payload.ts';
import { currentTraceparent } from '../../platform/tracing/tracing.ts';
import { saveTraces } from './traced-resources.system-store.ts';

const BUCKETS = 64;

export interface NewEvent {
  /** An ID from `unit.newUuid`, if the caller needs to know it; otherwise generated. */
  id?: string;
  workspaceId: string;
  type: EventType;
  /** Public ID of the object, or null. Events of one resource keep their order. */
  resourceId: string | null;
  /** The object as the API shows it. Never a secret. */
  object: object;
  /** For updates: the previous values of the changed fields. */
  previous?: object;
  /** Further members of `data`, as `click`. */
  also?: object;
  /** The rules that caused the event, first cause first; null or empty if no rule did. */
  chain?: CausationChain | null;
  /**
   * W3C traceparent of its cause. Default: of the current span. Null if the current span isn't its cause: then the
   * trace of its resource, if there is one.
   */
  traceparent?: string | null | undefined;
}

/** Each link is one run of a rule, started by an effect of the previous run. Public IDs. */
export type CausationChain = readonly { rule_id: string; run_id: string }[];

/** The transaction that events are written in. */
export interface EventTransaction {
  db: Db;
  newUuid: () => string;
  afterCommit: (action: () => void) => void;
}

export interface EventWriter {
  /** @param unit must be a transaction that has locked the resource's row. */
  write(unit: EventTransaction, event: NewEvent): Promise<void>;
  /** Writes the events in order, in one statement unless they exceed its maximum size together. */
  writeAll(unit: EventTransaction, events: readonly NewEvent[]): Promise<void>;
  /**
   * Returns the statement that inserts the events in order, for a batch with the statements of their change
   * (platform/db/batch.ts); null for no events. Events that exceed the maximum size of a statement are written
   * immediately.
   */
  insertion(unit: EventTransaction, events: readonly NewEvent[]): Promise<RawBuilder<unknown> | null>;
}

/** Maximum characters of JSON in one statement. A single larger event gets a statement of its own. */
const MAX_STATEMENT_CHARS = 8 * 1024 * 1024;

export const getBucket = (workspaceId: string): number => crc32(workspaceId) % BUCKETS;

interface OutboxRow {
  bucket: number;
  workspace_id: string;
  event_id: string;
  type: string;
  resource_id: string | null;
  data: string;
  truncated: boolean;
  chain: string | null;
  traceparent: string | null;
  created_at: Date;
}

function toOutboxRow(
  unit: EventTransaction,
  { object, previous, also, chain, traceparent = currentTraceparent(), ...event }: NewEvent,
): OutboxRow {
  const data = { object, ...(previous ? { previous_attributes: previous } : {}), ...also };
  const { json, truncated } = toPayload(data);
  const id = event.id ?? unit.newUuid();
  return {
    bucket: getBucket(event.workspaceId),
    workspace_id: event.workspaceId,
    event_id: id,
    type: event.type,
    resource_id: event.resourceId,
    data: json,
    truncated,
    chain: chain?.length ? JSON.stringify(chain) : null,
    traceparent,
    created_at: timeOfUuid(id),
  };
}

/** Splits the rows, in order, into parts that fit into one statement. */
function* splitByStatementSize(rows: readonly OutboxRow[]): Generator<OutboxRow[]> {
  let part: OutboxRow[] = [];
  let size = 0;
  for (const row of rows) {
    if (part.length && size + row.data.length > MAX_STATEMENT_CHARS) {
      yield part;
      [part, size] = [[], 0];
    }
    part.push(row);
    size += row.data.length;
  }
  if (part.length) yield part;
}

const insertAll = (rows: readonly OutboxRow[]): RawBuilder<unknown> => {
  const column = (name: keyof OutboxRow) => rows.map((row) => row[name]);
  // Identity values are assigned after the sort, so `n` has the order of the rows.
  return sql`
    insert into outbox (bucket, workspace_id, event_id, type, resource_id, data, truncated, chain, traceparent, created_at)
    select bucket, workspace_id, event_id, type, resource_id, data, truncated, chain, traceparent, created_at
    from unnest(
      ${column('bucket')}::smallint[], ${column('workspace_id')}::uuid[], ${column('event_id')}::uuid[],
      ${column('type')}::text[], ${column('resource_id')}::text[], ${column('data')}::jsonb[],
      ${column('truncated')}::boolean[], ${column('chain')}::jsonb[],
      ${column('traceparent')}::text[], ${column('created_at')}::timestamptz[]
    ) with ordinality
      e (bucket, workspace_id, event_id, type, resource_id, data, truncated, chain, traceparent, created_at, nth)
    order by nth
  `;
};

/** Events that create what later events, sends and clicks are about. */
const CREATING: ReadonlySet<string> = new Set(['message.queued', 'message.scheduled', 'link.created']);

/** Stores the traces of created objects. Sampled ones are few, so this is a statement of its own. */
async function saveCreated(db: Db, rows: readonly OutboxRow[]): Promise<void> {
  const traced = rows.flatMap(({ workspace_id: workspaceId, type, resource_id: resourceId, traceparent }) =>
    traceparent !== null && resourceId !== null && CREATING.has(type)
      ? [{ workspaceId, resourceId, traceparent }]
      : [],
  );
  if (traced.length) await saveTraces(traced).execute(db);
}

/** @param onCommitted called after each commit that wrote an event, as a hint to the sequencer */
export function createEventWriter(onCommitted: () => void): EventWriter {
  const insertion: EventWriter['insertion'] = async (unit, events) => {
    if (events.length === 0) return null;
    unit.afterCommit(onCommitted);
    let last: OutboxRow[] | null = null;
    const rows = events.map((event) => toOutboxRow(unit, event));
    await saveCreated(unit.db, rows);
    for (const part of splitByStatementSize(rows)) {
      if (last) await insertAll(last).execute(unit.db);
      last = part;
    }
    return last && insertAll(last);
  };
  return {
    async write(unit, event) {
      const row = toOutboxRow(unit, event);
      await saveCreated(unit.db, [row]);
      await unit.db.insertInto('outbox').values(row).execute();
      unit.afterCommit(onCommitted);
    },
    insertion,
    writeAll: async (unit, events) => void (await (await insertion(unit, events))?.execute(unit.db)),
  };
}

/** Returns the previous values of the changed fields, for the `previous_attributes` of an update. */
export function changedFields(before: Record<string, unknown>, after: Record<string, unknown>): object {
  return Object.fromEntries(
    Object.entries(before).filter(
      ([name, value]) => name !== 'updated_at' && JSON.stringify(value) !== JSON.stringify(after[name]),
    ),
  );
}
