/** The audit log: who changed what, from where. */
import { apiFor, unwrap } from './client.ts';
import { listQuery } from './list.ts';

export interface AuditFilter {
  action?: string;
  actor_id?: string;
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
