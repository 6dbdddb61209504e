/** Operations on workspaces. */
import { requireUuid } from '../vocabulary/ids.ts';
import { type Operation, operation } from '../api/operation.ts';
import { getPage } from '../../platform/http/pagination.ts';
import { IdParams } from '../api/id-schema.ts';
import { toListSchema } from '../../platform/http/schema.ts';
import {
  CreateWorkspace,
  DeleteWorkspace,
  UpdateWorkspace,
  Workspace,
  WorkspaceList,
} from './workspace.schema.ts';
import * as service from './workspace.service.ts';
import { onlyShortens } from '../api/storage-guard.ts';

export interface WorkspaceDeps {
  /** Stops a workspace's background work, in the transaction that deletes it. */
  workspaceDeleted: service.WorkspaceDeleted;
  clickAddressesChanged: service.ClickAddressesChanged;
  /** How many workspaces one person may own; 0 for any number. */
  workspacesPerUser: number;
}

export const workspaceOperations = ({
  workspaceDeleted,
  clickAddressesChanged,
  workspacesPerUser,
}: WorkspaceDeps): Operation[] => [
  operation(
    {
      id: 'workspaces.list',
      method: 'GET',
      path: '/workspaces',
      tag: 'Workspaces',
      summary: 'List workspaces',
      description: 'Returns the workspaces that the user is a member of. An API key gets its own workspace.',
      access: 'anyone',
      alsoNeeds: ['workspaces:read'],
      query: WorkspaceList,
      success: {
        status: 200,
        description: 'A page of workspaces, newest first.',
        schema: toListSchema(Workspace),
      },
    },
    async ({ actor, query, unit }) => ({
      body: await service.listWorkspaces(unit, actor, getPage(query), {
        createdAfter: query.created_after,
        createdBefore: query.created_before,
      }),
    }),
  ),
  operation(
    {
      id: 'workspaces.create',
      method: 'POST',
      path: '/workspaces',
      tag: 'Workspaces',
      summary: 'Create a workspace',
      description: 'You become its owner. Without `slug`, one is generated from the name.',
      access: 'user',
      body: CreateWorkspace,
      bodyExample: { name: 'Acme' },
      success: { status: 201, description: 'The workspace.', schema: Workspace },
      errors: ['slug_taken', 'conflict', 'quota_exceeded'],
      events: ['workspace.created', 'member.added'],
      audit: 'workspace',
    },
    async ({ actor, body, unit }) => {
      const { workspace, version, workspaceId } = await service.createWorkspace(
        unit,
        actor,
        body,
        workspacesPerUser,
      );
      const auditDetails = { name: workspace.name, slug: workspace.slug };
      return { body: workspace, version, auditWorkspaceId: workspaceId, auditDetails };
    },
  ),
  operation(
    {
      id: 'workspaces.get',
      method: 'GET',
      path: '/workspaces/{id}',
      tag: 'Workspaces',
      summary: 'Get a workspace',
      description: 'Only the workspace of the request can be retrieved.',
      access: 'workspaces:read',
      params: IdParams('workspace'),
      success: { status: 200, description: 'The workspace.', schema: Workspace },
    },
    async ({ actor, params, unit }) => {
      const id = requireUuid('workspace', params.id);
      const { workspace, version } = await service.getWorkspace(unit, actor, id);
      return { body: workspace, version };
    },
  ),
  operation(
    {
      id: 'workspaces.update',
      method: 'PATCH',
      path: '/workspaces/{id}',
      whenFull: onlyShortens,
      tag: 'Workspaces',
      summary: 'Update a workspace',
      description: 'Omitted fields stay unchanged. `metadata` is replaced as a whole.',
      access: 'workspaces:write',
      params: IdParams('workspace'),
      body: UpdateWorkspace,
      bodyExample: { name: 'Acme Europe', metadata: { team: 'growth' } },
      success: { status: 200, description: 'The updated workspace.', schema: Workspace },
      errors: ['slug_taken'],
      events: ['workspace.updated'],
      audit: 'workspace',
    },
    async ({ actor, params, body, unit, ifMatch }) => {
      const id = requireUuid('workspace', params.id);
      const { workspace, version } = await service.updateWorkspace(
        unit,
        actor,
        id,
        body,
        ifMatch,
        clickAddressesChanged,
      );
      return { body: workspace, version, auditDetails: { changed: Object.keys(body) } };
    },
  ),
  operation(
    {
      id: 'workspaces.delete',
      method: 'DELETE',
      path: '/workspaces/{id}',
      tag: 'Workspaces',
      summary: 'Delete a workspace',
      description:
        'Requires a signed-in owner; API keys cannot do this. Keys and members lose access immediately, the slug can be reused, and all data is erased within a day.',
      access: 'workspaces:write',
      params: IdParams('workspace'),
      query: DeleteWorkspace,
      success: { status: 204, description: 'Deleted.' },
      errors: ['session_required', 'owner_required', 'confirmation_mismatch'],
      events: ['workspace.deleted'],
      audit: 'workspace',
    },
    async ({ actor, params, query, unit, ifMatch }) => {
      const id = requireUuid('workspace', params.id);
      await service.deleteWorkspace(unit, actor, id, query.slug, ifMatch, workspaceDeleted);
      return { body: undefined };
    },
  ),
];
