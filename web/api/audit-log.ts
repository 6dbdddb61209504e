/** The audit log: who changed what, from where. */
import { queryOptions } from '@tanstack/react-query';
import { apiFor, unwrap } from './client.ts';
import { listQuery } from './list.ts';

export interface AuditFilter {
  action?: string;
  actor_id?: string;
  target_type?: string;
  target_id?: string;
  created_after?: string;
  created_before?: string;
}

export const auditLogQuery = (workspaceId: string, filter: AuditFilter) =>
  listQuery(['ws', workspaceId, 'audit-log', filter], (page, signal) =>
    unwrap(
      apiFor(workspaceId).GET('/api/v1/audit-log', { params: { query: { ...page, ...filter } }, signal }),
    ),
  );

export const auditEntryQuery = (workspaceId: string, id: string) =>
  queryOptions({
    queryKey: ['ws', workspaceId, 'audit-entry', id],
    queryFn: ({ signal }) =>
      unwrap(apiFor(workspaceId).GET('/api/v1/audit-log/{id}', { params: { path: { id } }, signal })),
    staleTime: Infinity,
  });

/** Returns the path of the export, under `/api/v1`. */
export const auditLogExportPath = (filter: AuditFilter): string =>
  `/audit-log/export?${new URLSearchParams(Object.entries(filter))}`;
