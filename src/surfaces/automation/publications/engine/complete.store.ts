/** Stores the results of publications, across workspaces, and updates their queue rows accordingly. */
import { type RawBuilder, sql } from 'kysely';
import { runBatch } from '../../../../platform/db/batch.ts';
import type { Unit } from '../../../../core/unit/unit-of-work.ts';
import type { EventType } from '../../../../core/vocabulary/event-catalog.ts';
import { storableJson } from '../../../../core/unit/event-payload.ts';
import { presentPublication } from '../records/publication-present.ts';
import type { PublicationStatus } from '../records/publication-state.ts';
import type { PublicationColumns, ResultRow } from '../records/publication.store.ts';
import { getBucket } from '../records/receive.store.ts';
import { nextAttemptAt } from './outcome.ts';

export interface Completed {
  before: PublicationColumns;
  after: PublicationColumns;
  /** The results of all destinations. */
  results: readonly ResultRow[];
  /** The results that changed. */
  changed: readonly ResultRow[];
}

/** The events of statuses; others are not reported. */
const EVENT_OF: Partial<Record<PublicationStatus, EventType>> = {
  published: 'publication.published',
  partially_published: 'publication.partially_published',
  failed: 'publication.failed',
  canceled: 'publication.canceled',
};
const CHANGING = sql`status = excluded.status, message_id = excluded.message_id,
  earlier_message_ids = excluded.earlier_message_ids, error_code = excluded.error_code,
  error_detail = excluded.error_detail, error_retryable = excluded.error_retryable, attempts = excluded.attempts,
  next_attempt_at = excluded.next_attempt_at, updated_at = excluded.updated_at`;
const RESULT = sql`workspace_id, publication_id, position, instance_id, recipient, type, status, message_id,
  earlier_message_ids, error_code,
  error_detail, error_retryable, attempts, next_attempt_at, updated_at`;

function updatePublications(completed: readonly Completed[]): RawBuilder<unknown> {
  const rows = completed.map(({ after }) => after);
  return sql`
    update publications p
    set status = g.status, reason = g.reason, finished_at = g.finished_at, updated_at = g.updated_at
    from unnest(
      ${rows.map((row) => row.workspace_id)}::uuid[], ${rows.map((row) => row.id)}::uuid[],
      ${rows.map((row) => row.status)}::text[], ${rows.map((row) => row.reason)}::text[],
      ${rows.map((row) => row.finished_at)}::timestamptz[], ${rows.map((row) => row.updated_at)}::timestamptz[]
    ) g (workspace_id, id, status, reason, finished_at, updated_at)
    where p.workspace_id = g.workspace_id and p.id = g.id`;
}

function queueChanges(completed: readonly Completed[]): RawBuilder<unknown>[] {
  const waiting = completed.flatMap(({ after, results }) => {
    const dueAt = nextAttemptAt(results);
    return dueAt ? [{ ...after, dueAt }] : [];
  });
  const ids = new Set(waiting.map(({ id }) => id));
  const over = completed.filter(({ after }) => !ids.has(after.id)).map(({ after }) => after.id);
  return [
    ...(over.length ? [sql`delete from publication_queue where publication_id = any(${over}::uuid[])`] : []),
    ...(waiting.length
      ? [
          sql`
            insert into publication_queue (publication_id, workspace_id, endpoint_id, bucket, due_at)
            select * from unnest(
              ${waiting.map(({ id }) => id)}::uuid[], ${waiting.map((row) => row.workspace_id)}::uuid[],
              ${waiting.map((row) => row.endpoint_id)}::uuid[],
              ${waiting.map((row) => getBucket(row.endpoint_id))}::smallint[],
              ${waiting.map(({ dueAt }) => dueAt)}::timestamptz[]
            )
            on conflict (publication_id) do update set due_at = excluded.due_at, failures = 0`,
        ]
      : []),
  ];
}

/**
 * Writes all changes in one statement and emits an event for each publication that reached a reported status. The
 * publications must be locked.
 * @param others statements that run in the same round trip
 */
export async function completePublications(
  unit: Unit,
  completed: readonly Completed[],
  others: readonly RawBuilder<unknown>[] = [],
): Promise<void> {
  if (!completed.length && !others.length) return;
  const changed = completed.flatMap((one) => one.changed);
  const events = completed.flatMap(({ before, after, results }) => {
    const type = EVENT_OF[after.status];
    if (type === undefined || after.status === before.status) return [];
    const object = presentPublication({ ...after, results: [...results] });
    return [{ workspaceId: after.workspace_id, type, resourceId: object.id, object }];
  });
  await runBatch(unit.db, [
    ...(completed.length ? [updatePublications(completed), ...queueChanges(completed)] : []),
    changed.length
      ? sql`
          insert into publication_results (${RESULT})
          select ${RESULT} from json_populate_recordset(null::publication_results, ${storableJson(changed)})
          on conflict (workspace_id, publication_id, position) do update set ${CHANGING}`
      : null,
    ...others,
    await unit.events.insertion(unit, events),
  ]);
}
