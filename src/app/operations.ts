/** Every operation of the API, in the order in which its document lists them. */
import { meOperations } from '../core/account/me.routes.ts';
import { activityOperations } from '../core/activity/activity.routes.ts';
import { apiKeyOperations } from '../core/api-keys/api-key.routes.ts';
import {
  type AutomationOperationDeps,
  automationOperations,
} from '../surfaces/automation/automation-operations.ts';
import { createFailureLimiter } from '../core/auth/failure-limiter.ts';
import { createCreatedKinds } from './created-kinds.ts';
import type { CreatedKind } from '../core/created-objects/created-kind.ts';
import { eventOperations } from '../core/events/event.routes.ts';
import type { EventTypes } from '../core/events/event-type.service.ts';
import type { StreamDeps } from '../core/events/stream/event-stream.ts';
import type { Operation } from '../core/api/operation.ts';
import { integrationOperations } from '../core/integrations/integration.routes.ts';
import { jobOperations } from '../core/jobs/job.routes.ts';
import { type ModelsOperationDeps, modelsOperations } from '../surfaces/models/models-operations.ts';
import { type LinksOperationDeps, linksOperations } from '../surfaces/links/links-operations.ts';
import { sumModelCalls } from '../surfaces/models/usage/month-usage.store.ts';
import type { Messaging } from '../surfaces/messaging/messaging.ts';
import { messagingOperations } from '../surfaces/messaging/messaging-operations.ts';
import { messageSource } from '../surfaces/messaging/messages/message-source.routes.ts';
import { type MediaDeps, mediaOperations } from '../surfaces/messaging/media/media.routes.ts';
import { type LocatedClicks, serverStatusOperations } from './server-status.routes.ts';
import { inspectorRequestOperations } from '../core/webhooks/inspector-request.routes.ts';
import { inspectorOperations } from '../core/webhooks/inspector.routes.ts';
import { type DeliveryDeps, deliveryOperations } from '../core/webhooks/delivery.routes.ts';
import { webhookKindOperations } from '../core/webhooks/kinds/webhook-kind.routes.ts';
import { webhookHealthOperations } from '../core/webhooks/webhook-health.routes.ts';
import { type WebhookDeps, webhookOperations } from '../core/webhooks/webhook.routes.ts';
import { auditLogOperations } from '../core/workspaces/audit-log.routes.ts';
import { type InvitationRoutesDeps, invitationOperations } from '../core/workspaces/invitation.routes.ts';
import { memberOperations } from '../core/workspaces/member.routes.ts';
import type { Quotas } from '../core/workspaces/quota.ts';
import { requestOperations } from '../core/requests/request.routes.ts';
import { scopeOperations } from '../core/workspaces/scope.routes.ts';
import { usageOperations } from '../core/workspaces/usage.routes.ts';
import { type WorkspaceDeps, workspaceOperations } from '../core/workspaces/workspace.routes.ts';
import { findFilterTargets } from './webhook-filters.ts';

export interface OperationDeps
  extends
    StreamDeps,
    Pick<InvitationRoutesDeps, 'baseUrl' | 'sendLater'>,
    Pick<WebhookDeps, 'secrets' | 'assertUrlAllowed'>,
    DeliveryDeps {
  eventTypes: EventTypes;
  quotas: Quotas;
  media: Omit<MediaDeps, 'guard'>;
  messaging: Messaging['forOperations'];
  links: LinksOperationDeps;
  models: ModelsOperationDeps;
  automation: AutomationOperationDeps;
  workspaceDeleted: Messaging['workspaceDeleted'];
  clickAddressesChanged: WorkspaceDeps['clickAddressesChanged'];
  workspacesPerUser: number;
  storage: Parameters<typeof serverStatusOperations>[0];
  locates: LocatedClicks;
}

const declared = ({
  eventTypes,
  createdKinds,
  baseUrl,
  sendLater,
  quotas,
  guard,
  models,
  db,
  liveTail,
  liveEvents,
  interest,
  secrets,
  assertUrlAllowed,
  wakeDeliveries,
  media,
  messaging,
  links,
  automation,
  workspaceDeleted,
  clickAddressesChanged,
  workspacesPerUser,
  storage,
  locates,
}: OperationDeps & { createdKinds: CreatedKind[] }): Operation[] => [
  ...meOperations({ baseUrl }),
  ...serverStatusOperations(storage, locates),
  ...workspaceOperations({ workspaceDeleted, clickAddressesChanged, workspacesPerUser }),
  ...memberOperations({ createdKinds }),
  ...invitationOperations({
    baseUrl,
    sendLater,
    failures: createFailureLimiter(),
    quotas,
  }),
  ...scopeOperations(),
  ...apiKeyOperations({ quotas, createdKinds }),
  ...auditLogOperations({ guard }),
  ...requestOperations(),
  ...usageOperations({ quotas, sumModelCalls }),
  ...activityOperations(),
  ...modelsOperations(models),
  ...eventOperations({ db, guard, liveTail, liveEvents, interest, baseUrl, eventTypes }),
  ...webhookOperations({
    eventTypes,
    secrets,
    quotas,
    assertUrlAllowed,
    filterTargets: findFilterTargets,
    templates: automation.templates,
    baseUrl,
  }),
  ...webhookKindOperations({ eventTypes, templates: automation.templates, baseUrl }),
  ...webhookHealthOperations(),
  ...deliveryOperations({ wakeDeliveries }),
  ...inspectorOperations({ secrets, baseUrl }),
  ...inspectorRequestOperations({ secrets }),
  ...jobOperations(),
  ...messagingOperations({ ...messaging, guard, baseUrl, quotas }),
  messageSource(media),
  ...mediaOperations({ ...media, guard }),
  ...linksOperations({ ...links, guard }),
  ...automationOperations(automation),
];

/** Declares them; nothing is called until one of them runs. */
export function allOperations(deps: OperationDeps): Operation[] {
  const operations: Operation[] = [
    ...declared({ ...deps, createdKinds: createCreatedKinds({ ...deps, instances: deps.messaging }) }),
    ...integrationOperations({ baseUrl: deps.baseUrl, operations: () => operations }),
  ];
  return operations;
}
