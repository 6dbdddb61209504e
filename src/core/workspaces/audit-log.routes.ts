/** Operations on the audit log. */
import { type Operation, operation } from '../api/operation.ts';
import { getPage } from '../../platform/http/pagination.ts';
import { toListSchema } from '../../platform/http/schema.ts';
import { AuditEntry, AuditLogList } from './audit-log.schema.ts';
import { listAuditLog } from './audit-log.service.ts';

export const auditLogOperations = (): Operation[] => [
  operation(
    {
      id: 'audit_log.list',
      method: 'GET',
      path: '/audit-log',
      tag: 'Account',
      summary: 'List the audit log',
      description:
        'Who changed what, from where. Entries are written in the transaction of the change. Messages and publications say themselves who sent them: sending is not recorded here, nor are reactions and read receipts.',
      access: 'audit:read',
      query: AuditLogList,
      success: {
        status: 200,
        description: 'A page of entries, newest first.',
        schema: toListSchema(AuditEntry),
      },
    },
    async ({ actor, query, unit }) => ({
      body: await listAuditLog(unit, actor.workspaceId, getPage(query), {
        action: query.action,
        actorId: query.actor_id,
        targetId: query.target_id,
        createdAfter: query.created_after,
        createdBefore: query.created_before,
      }),
    }),
  ),
];
