/** The audit log: who changed what in a workspace. Entries are written in the transaction of the change. */
import { timeOfUuid } from '../../platform/db/uuid-time.ts';
import type { Unit, ReadUnit } from '../unit/unit-of-work.ts';
import { publicId } from '../vocabulary/ids.ts';
import { type List, toList, type Page } from '../../platform/http/pagination.ts';
import { notFound } from '../../platform/http/problem.ts';
import type { RecordAudit } from '../api/run.ts';
import { csvHead, csvLines } from '../api/csv.ts';
import type { AuditEntryObject, AuditLogFilters } from './audit-log.schema.ts';
import * as store from './audit-log.store.ts';

const EXPORT_PAGE = 500;

type Entry = Parameters<RecordAudit>[1];

function toRow(unit: ReadUnit, { actor, details = {}, ...entry }: Entry): store.NewAuditRow {
  const id = unit.newUuid();
  return {
    workspace_id: entry.workspaceId,
    id,
    action: entry.action,
    actor_type: actor.kind === 'api_key' ? 'api_key' : 'user',
    actor_id: actor.id,
    actor_name: actor.name,
    target_type: entry.targetType,
    target_id: entry.targetId,
    ip: entry.ip,
    request_id: entry.requestId,
    details,
    target_name: entry.targetName ?? null,
    changes: entry.changes ?? null,
    // The time in the ID, because lists filter by ID.
    created_at: timeOfUuid(id),
  };
}

/** Adds an entry. The runner calls it for every operation that declares `audit`. Details hold no secret. */
export const recordAudit: RecordAudit = (unit, entry) => store.insertEntry(unit.db, toRow(unit, entry));

/** Builds the statement that adds entries, for a change that sends several statements as one. */
export const auditEntries = (unit: Unit, entries: readonly Entry[]): ReturnType<typeof store.insertEntries> =>
  store.insertEntries(entries.map((entry) => toRow(unit, entry)));

const present = (row: store.AuditRow): AuditEntryObject => ({
  id: publicId('audit_entry', row.id),
  object: 'audit_entry',
  action: row.action,
  actor: { type: row.actor_type, id: row.actor_id, name: row.actor_name },
  target: { type: row.target_type, id: row.target_id, name: row.target_name },
  ip: row.ip,
  request_id: row.request_id,
  details: row.details as Record<string, unknown>,
  changes: row.changes as AuditEntryObject['changes'],
  created_at: row.created_at.toISOString(),
});

const toFilter = (query: AuditLogFilters): store.AuditFilter => ({
  action: query.action,
  actorId: query.actor_id,
  targetType: query.target_type,
  targetId: query.target_id,
  createdAfter: query.created_after,
  createdBefore: query.created_before,
});

export async function listAuditLog(
  unit: ReadUnit,
  workspaceId: string,
  page: Page,
  query: AuditLogFilters,
): Promise<List<AuditEntryObject>> {
  const { rows, windowEnd } = await store.listEntries(unit.db, workspaceId, page, toFilter(query));
  return toList(rows, page, ({ id }) => id, present, windowEnd);
}

/** @throws Problem not_found */
export async function getAuditEntry(
  unit: ReadUnit,
  workspaceId: string,
  id: string,
): Promise<AuditEntryObject> {
  const row = await store.findEntry(unit.db, workspaceId, id);
  if (!row) throw notFound('audit entry');
  return present(row);
}

const COLUMNS: Record<string, (entry: AuditEntryObject) => string | null> = {
  id: ({ id }) => id,
  created_at: (entry) => entry.created_at,
  action: ({ action }) => action,
  actor_type: ({ actor }) => actor.type,
  actor_id: ({ actor }) => actor.id,
  actor_name: ({ actor }) => actor.name,
  target_type: ({ target }) => target.type,
  target_id: ({ target }) => target.id,
  target_name: ({ target }) => target.name,
  ip: ({ ip }) => ip,
  request_id: (entry) => entry.request_id,
  details: ({ details }) => JSON.stringify(details),
  changes: ({ changes }) => (changes === null ? null : JSON.stringify(changes)),
};

/** Yields the pages of the export, newest entries first. */
export async function* auditLogPages(
  unit: ReadUnit,
  workspaceId: string,
  query: AuditLogFilters,
): AsyncGenerator<string> {
  yield csvHead(Object.keys(COLUMNS));
  const cells = Object.values(COLUMNS);
  const filter = toFilter(query);
  for (let after: string | null = null; ;) {
    const page: Page = { limit: EXPORT_PAGE, after };
    const { rows, windowEnd } = await store.listEntries(unit.db, workspaceId, page, filter);
    const entries = rows.slice(0, EXPORT_PAGE).map(present);
    if (entries.length) yield csvLines(entries.map((entry) => cells.map((cell) => cell(entry))));
    after = rows.length > EXPORT_PAGE ? rows[EXPORT_PAGE - 1]!.id : windowEnd;
    if (after === null) return;
  }
}
