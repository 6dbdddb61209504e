/** Operations on the audit log. */
import { type Operation, operation } from '../api/operation.ts';
import { requireUuid } from '../vocabulary/ids.ts';
import { getPage } from '../../platform/http/pagination.ts';
import { IdParams } from '../api/id-schema.ts';
import { toListSchema } from '../../platform/http/schema.ts';
import { sendCsv } from '../api/csv.ts';
import type { Guard } from '../auth/guard.ts';
import { AuditEntry, AuditLogExport, AuditLogList } from './audit-log.schema.ts';
import { auditLogPages, getAuditEntry, listAuditLog } from './audit-log.service.ts';

export const auditLogOperations = ({ guard }: { guard: Guard }): Operation[] => [
  operation(
    {
      id: 'audit_log.list',
      method: 'GET',
      path: '/audit-log',
      tag: 'Account',
      summary: 'List the audit log',
      description:
        'Returns the changes in the workspace, with their actor and IP address. Sent messages, publications, reactions and read receipts are not recorded; messages and publications have their own `created_by`.',
      access: 'audit:read',
      query: AuditLogList,
      success: {
        status: 200,
        description: 'A page of entries, newest first.',
        schema: toListSchema(AuditEntry),
      },
    },
    async ({ actor, query, unit }) => ({
      body: await listAuditLog(unit, actor.workspaceId, getPage(query), query),
    }),
  ),
  operation(
    {
      id: 'audit_log.get',
      method: 'GET',
      path: '/audit-log/{id}',
      tag: 'Account',
      summary: 'Get an entry of the audit log',
      description: 'Returns one entry by its ID.',
      access: 'audit:read',
      params: IdParams('audit_entry'),
      success: { status: 200, description: 'The entry.', schema: AuditEntry },
      errors: ['not_found'],
    },
    async ({ actor, params, unit }) => ({
      body: await getAuditEntry(unit, actor.workspaceId, requireUuid('audit_entry', params.id)),
    }),
  ),
  operation(
    {
      id: 'audit_log.export',
      method: 'GET',
      path: '/audit-log/export',
      tag: 'Account',
      summary: 'Export the audit log as CSV',
      description:
        'Exports all matching entries, one per line, newest first. `details` and `changes` are JSON. Cells that a spreadsheet would interpret as a formula (beginning with `=`, `+`, `-` or `@`) are prefixed with an apostrophe.',
      access: 'audit:read',
      query: AuditLogExport,
      binary: true,
      success: { status: 200, description: 'The CSV file, in UTF-8.' },
    },
    ({ actor, query, unit, request, reply }) =>
      sendCsv(
        { request, reply, actor, guard },
        'audit-log.csv',
        auditLogPages(unit, actor.workspaceId, query),
      ),
  ),
];
