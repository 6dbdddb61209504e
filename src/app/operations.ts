/** Every operation of the API, in the order in which its document lists them. */
import { meOperations } from '../core/account/me.routes.ts';
import { activityOperations } from '../core/activity/activity.routes.ts';
import { apiKeyOperations } from '../core/api-keys/api-key.routes.ts';
import type { Operation } from '../core/api/operation.ts';
import { createFailureLimiter } from '../core/auth/failure-limiter.ts';
import type { CreatedKind } from '../core/created-objects/created-kind.ts';
import { eventOperations } from '../core/events/stream/event.routes.ts';
import type { EventTypes } from '../core/events/event-type.service.ts';
import type { StreamDeps } from '../core/events/stream/event-stream.ts';
import { integrationOperations } from '../core/integrations/integration.routes.ts';
import { jobOperations } from '../core/jobs/job.routes.ts';
import { requestOperations } from '../core/requests/request.routes.ts';
import { type DeliveryDeps, deliveryOperations } from '../core/webhooks/delivery.routes.ts';
import { inspectorRequestOperations } from '../core/webhooks/inspector-request.routes.ts';
import { inspectorOperations } from '../core/webhooks/inspector.routes.ts';
import { webhookKindOperations } from '../core/webhooks/webhook-kind.routes.ts';
import { webhookHealthOperations } from '../core/webhooks/webhook-health.routes.ts';
import { type WebhookDeps, webhookOperations } from '../core/webhooks/webhook.routes.ts';
import { auditLogOperations } from '../core/workspaces/audit-log.routes.ts';
import { type InvitationRoutesDeps, invitationOperations } from '../core/workspaces/invitation.routes.ts';
import { memberOperations } from '../core/workspaces/member.routes.ts';
import type { Quotas } from '../core/workspaces/quota.ts';
import { scopeOperations } from '../core/workspaces/scope.routes.ts';
import { usageOperations } from '../core/workspaces/usage.routes.ts';
import type { SumModelCalls } from '../core/workspaces/usage.service.ts';
import { type WorkspaceDeps, workspaceOperations } from '../core/workspaces/workspace.routes.ts';
import type { Templates } from '../platform/templates/templates.ts';
import { type LocatedClicks, serverStatusOperations } from './server-status.routes.ts';

export interface OperationDeps
  extends
    StreamDeps,
    WorkspaceDeps,
    Pick<InvitationRoutesDeps, 'baseUrl' | 'sendLater'>,
    Pick<WebhookDeps, 'secrets' | 'assertUrlAllowed' | 'filterTargets'>,
    DeliveryDeps {
  eventTypes: EventTypes;
  quotas: Quotas;
  createdKinds: readonly CreatedKind[];
  sumModelCalls: SumModelCalls;
  templates: Templates;
  storage: Parameters<typeof serverStatusOperations>[0];
  locates: LocatedClicks;
  /** The operations of all surfaces. */
  ofSurfaces: readonly Operation[];
}

/** Declares them; nothing is called until one of them runs. */
export function allOperations(deps: OperationDeps): Operation[] {
  const { baseUrl, createdKinds, guard, quotas } = deps;
  const operations: Operation[] = [
    ...meOperations({ baseUrl }),
    ...serverStatusOperations(deps.storage, deps.locates),
    ...workspaceOperations(deps),
    ...memberOperations({ createdKinds }),
    ...invitationOperations({ ...deps, failures: createFailureLimiter() }),
    ...scopeOperations(),
    ...apiKeyOperations({ quotas, createdKinds }),
    ...auditLogOperations({ guard }),
    ...requestOperations(),
    ...usageOperations(deps),
    ...activityOperations(),
    ...eventOperations(deps),
    ...webhookOperations(deps),
    ...webhookKindOperations(deps),
    ...webhookHealthOperations(),
    ...deliveryOperations(deps),
    ...inspectorOperations(deps),
    ...inspectorRequestOperations(deps),
    ...jobOperations(),
    ...deps.ofSurfaces,
    ...integrationOperations({ baseUrl, operations: () => operations }),
  ];
  return operations;
}
