/** The audit log: who changed what in a workspace. Entries are written in the transaction of the change. */
import type { Unit, ReadUnit } from '../unit-of-work.ts';
import { publicId } from '../../platform/http/ids.ts';
import { type List, toList, type Page } from '../../platform/http/pagination.ts';
import type { RecordAudit } from '../api/run.ts';
import type { AuditEntryObject } from './audit-log.schema.ts';
import * as store from './audit-log.store.ts';

type Entry = Parameters<RecordAudit>[1];

function toRow(unit: ReadUnit, { actor, details = {}, ...entry }: Entry): store.NewAuditRow {
  return {
    workspace_id: entry.workspaceId,
    id: unit.newUuid(),
    action: entry.action,
    actor_type: actor.kind === 'api_key' ? 'api_key' : 'user',
    actor_id: actor.id,
    actor_name: actor.name,
    target_type: entry.targetType,
    target_id: entry.targetId,
    ip: entry.ip,
    request_id: entry.requestId,
    details,
    created_at: unit.clock(),
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
  target: { type: row.target_type, id: row.target_id },
  ip: row.ip,
  request_id: row.request_id,
  details: row.details as Record<string, unknown>,
  created_at: row.created_at.toISOString(),
});

export async function listAuditLog(
  unit: ReadUnit,
  workspaceId: string,
  page: Page,
  filter: store.AuditFilter,
): Promise<List<AuditEntryObject>> {
  const rows = await store.listEntries(unit.db, workspaceId, page, filter);
  return toList(rows, page, ({ id }) => id, present);
}
