/**
 * Writing an event: a row in the outbox, in the transaction of the change that it tells of. The sequencer moves it to
 * the log once that transaction has committed.
 */
import { crc32 } from 'node:zlib';
import type { Unit } from '../db/unit.ts';
import { timeOfUuid } from '../db/uuid-time.ts';
import type { EventType } from './catalogue.ts';
import { payloadOf } from './event-payload.ts';

const BUCKETS = 64;

export interface NewEvent {
  /** Made by the unit, where the writer must know it. */
  id?: string;
  workspaceId: string;
  type: EventType;
  /** Public id of the object, or null. Events of one resource keep their order. */
  resourceId: string | null;
  /** The object as the API shows it. Never a secret. */
  object: object;
  /** For updates: what the changed fields were. */
  previous?: object;
  /** Further members of `data`, as `click`. */
  also?: object;
}

export interface EventWriter {
  /** @param unit must be a transaction that has locked the resource's row. */
  write(unit: Unit, event: NewEvent): Promise<void>;
}

export const bucketOf = (workspaceId: string): number => crc32(workspaceId) % BUCKETS;

/** @param onCommitted called after each commit that wrote an event: a hint to whoever sequences. */
export function createEventWriter(onCommitted: () => void): EventWriter {
  return {
    async write(unit, { object, previous, also, ...event }) {
      const data = { object, ...(previous ? { previous_attributes: previous } : {}), ...also };
      const { json, truncated } = payloadOf(data);
      const id = event.id ?? unit.newUuid();
      await unit.db
        .insertInto('outbox')
        .values({
          bucket: bucketOf(event.workspaceId),
          workspace_id: event.workspaceId,
          event_id: id,
          type: event.type,
          resource_id: event.resourceId,
          data: json,
          truncated,
          created_at: timeOfUuid(id),
        })
        .execute();
      unit.afterCommit(onCommitted);
    },
  };
}

/** The fields whose values differ, as they were: `previous_attributes` of an update. */
export function changedFields(before: Record<string, unknown>, after: Record<string, unknown>): object {
  return Object.fromEntries(
    Object.entries(before).filter(
      ([name, value]) => name !== 'updated_at' && JSON.stringify(value) !== JSON.stringify(after[name]),
    ),
  );
}
