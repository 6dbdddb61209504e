/** The audit log: who changed what, from where. */
import { readQuery } from './read.ts';
import { type FilterOf, get, pathWith } from './call.ts';
import { listQuery } from './list.ts';

type AuditFilter = FilterOf<'/audit-log'>;

export const auditLogQuery = (workspaceId: string, filter: AuditFilter) =>
  listQuery(['ws', workspaceId, 'audit-log', filter], workspaceId, get('/audit-log', { query: filter }));

export const auditEntryQuery = (workspaceId: string, id: string) =>
  readQuery(['ws', workspaceId, 'audit-entry', id], workspaceId, get('/audit-log/{id}', { path: { id } }), {
    staleTime: Infinity,
  });

/** Returns the path of the export, under `/api/v1`. */
export const auditLogExportPath = (filter: AuditFilter): string => pathWith('/audit-log/export', filter);
