/** Declares the core in the form of a surface: workspaces, keys, events, webhooks, inspectors and jobs. */
import { MAIL_CONTEXT } from '../platform/mail/mail-job.ts';
import { coreQueues } from './core-jobs.ts';
import { createdKeys } from './api-keys/created-keys.ts';
import { apiKeyEvents } from './api-keys/api-key.events.ts';
import type { CreatedKind } from './created-objects/created-kind.ts';
import { pingEvents } from './events/ping.events.ts';
import { jobEvents } from './jobs/job.events.ts';
import { requestPartitions } from './requests/request-retention.ts';
import { OF_WORKSPACE, ofIds } from './sealed-column.ts';
import type { Surface } from './surface.ts';
import { createdInspectors, createdWebhooks } from './webhooks/created-webhooks.ts';
import { webhookPartitions } from './webhooks/delivery-retention.ts';
import { requestHeadContext } from './webhooks/inspector-request.service.ts';
import { inspectorTokenContext } from './webhooks/inspector.service.ts';
import { subscribedWorkspaces } from './webhooks/subscribed.system-store.ts';
import { headersContext, secretContext } from './webhooks/delivery/webhook-secret.ts';
import { webhookEvents } from './webhooks/webhook.events.ts';
import { countWebhooks } from './webhooks/webhook.store.ts';
import { invitationEvents } from './workspaces/invitation.events.ts';
import { memberEvents } from './workspaces/member.events.ts';
import { WORKSPACE_COUNTERS } from './workspaces/quota.ts';
import { workspaceEvents } from './workspaces/workspace.events.ts';

export const CORE_KINDS: readonly CreatedKind[] = [createdKeys, createdWebhooks, createdInspectors];

export const core: Omit<Surface, 'operations'> = {
  events: {
    ...workspaceEvents,
    ...memberEvents,
    ...invitationEvents,
    ...apiKeyEvents,
    ...webhookEvents,
    ...jobEvents,
    ...pingEvents,
  },
  counters: { ...WORKSPACE_COUNTERS, webhooks: countWebhooks },
  queues: coreQueues,
  partitions: () => [...webhookPartitions, ...requestPartitions],
  sealedColumns: [
    {
      table: 'webhooks',
      key: OF_WORKSPACE,
      values: [
        { column: 'secret_sealed', context: ofIds(secretContext) },
        { column: 'previous_secret_sealed', context: ofIds(secretContext) },
        { column: 'headers_sealed', context: ofIds(headersContext) },
      ],
    },
    {
      table: 'inspectors',
      key: OF_WORKSPACE,
      values: [
        { column: 'token_sealed', context: ofIds((row) => inspectorTokenContext(row.workspace_id, row.id)) },
      ],
    },
    {
      table: 'inspector_requests',
      key: { workspace_id: 'uuid', inspector_id: 'uuid', number: 'bigint' },
      needs: ['id'],
      values: [
        { column: 'head_sealed', context: ofIds((row) => requestHeadContext(row.workspace_id, row.id)) },
      ],
    },
    {
      // Queued mails, and completed ones that are still stored.
      table: 'pgboss.job',
      key: { name: 'text', id: 'uuid' },
      values: [{ column: 'data', member: 'sealed', context: () => MAIL_CONTEXT }],
    },
  ],
  subscribed: subscribedWorkspaces,
};
