/** Every operation of the API, in the order in which its document lists them. */
import { meOperations } from './account/me.routes.ts';
import { apiKeyOperations } from './api-keys/api-key.routes.ts';
import { type AutomationOperationDeps, automationOperations } from './automation/automation-operations.ts';
import { createFailureLimiter } from './auth/failure-limiter.ts';
import { createdKindsOf } from './created-kinds.ts';
import type { CreatedKind } from './created-objects/created-kind.ts';
import { eventOperations } from './events/event.routes.ts';
import type { EventTypes } from './events/event-type.service.ts';
import type { StreamDeps } from './events/stream/event-stream.ts';
import type { Operation } from './http/operation.ts';
import { integrationOperations } from './integrations/integration.routes.ts';
import { jobOperations } from './jobs/job.routes.ts';
import { type ModelDeps, modelOperations } from './models/model.routes.ts';
import { type LinksOperationDeps, linksOperations } from './links/links-operations.ts';
import type { Messaging } from './messaging/messaging.ts';
import { messagingOperations } from './messaging/messaging-operations.ts';
import { type MediaDeps, mediaOperations } from './messaging/media/media.routes.ts';
import { serverStatusOperations } from './storage/server-status.routes.ts';
import { inspectorRequestOperations } from './webhooks/inspector-request.routes.ts';
import { inspectorOperations } from './webhooks/inspector.routes.ts';
import { type DeliveryDeps, deliveryOperations } from './webhooks/delivery.routes.ts';
import { webhookKindOperations } from './webhooks/kinds/webhook-kind.routes.ts';
import { webhookHealthOperations } from './webhooks/webhook-health.routes.ts';
import { type WebhookDeps, webhookOperations } from './webhooks/webhook.routes.ts';
import { auditLogOperations } from './workspaces/audit-log.routes.ts';
import { type InvitationRoutesDeps, invitationOperations } from './workspaces/invitation.routes.ts';
import { memberOperations } from './workspaces/member.routes.ts';
import type { Quotas } from './workspaces/quota.ts';
import { scopeOperations } from './workspaces/scope.routes.ts';
import { usageOperations } from './workspaces/usage.routes.ts';
import { type WorkspaceDeps, workspaceOperations } from './workspaces/workspace.routes.ts';

export interface OperationDeps
  extends
    ModelDeps,
    StreamDeps,
    Pick<InvitationRoutesDeps, 'baseUrl' | 'sendLater'>,
    Pick<WebhookDeps, 'secrets' | 'assertUrlAllowed'>,
    DeliveryDeps {
  eventTypes: EventTypes;
  quotas: Quotas;
  media: Omit<MediaDeps, 'guard' | 'assertQuota'>;
  messaging: Messaging['forOperations'];
  links: LinksOperationDeps;
  automation: AutomationOperationDeps;
  workspaceDeleted: Messaging['workspaceDeleted'];
  clickAddressesChanged: WorkspaceDeps['clickAddressesChanged'];
  workspacesPerUser: number;
  storage: Parameters<typeof serverStatusOperations>[0];
}

const declared = ({
  eventTypes,
  createdKinds,
  baseUrl,
  sendLater,
  quotas,
  guard,
  providersOf,
  db,
  liveTail,
  liveEvents,
  wants,
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
}: OperationDeps & { createdKinds: CreatedKind[] }): Operation[] => [
  ...meOperations({ baseUrl }),
  ...serverStatusOperations(storage),
  ...workspaceOperations({ workspaceDeleted, clickAddressesChanged, workspacesPerUser }),
  ...memberOperations({ createdKinds }),
  ...invitationOperations({
    baseUrl,
    sendLater,
    failures: createFailureLimiter(),
    assertQuota: quotas.assert,
  }),
  ...scopeOperations(),
  ...apiKeyOperations({ assertQuota: quotas.assert, createdKinds }),
  ...auditLogOperations(),
  ...usageOperations({ quotas }),
  ...modelOperations({ guard, providersOf }),
  ...eventOperations({ db, guard, liveTail, liveEvents, wants, baseUrl, eventTypes }),
  ...webhookOperations({
    eventTypes,
    secrets,
    assertQuota: quotas.assert,
    assertUrlAllowed,
    templates: automation.templates,
    baseUrl,
  }),
  ...webhookKindOperations({ eventTypes, templates: automation.templates, baseUrl }),
  ...webhookHealthOperations(),
  ...deliveryOperations({ wakeDeliveries }),
  ...inspectorOperations({ secrets, baseUrl }),
  ...inspectorRequestOperations({ secrets }),
  ...jobOperations(),
  ...messagingOperations({ ...messaging, guard, baseUrl, assertQuota: quotas.assert }),
  ...mediaOperations({ ...media, guard, assertQuota: quotas.assert }),
  ...linksOperations({ ...links, guard }),
  ...automationOperations(automation),
];

/** Declares them; nothing is called until one of them runs. */
export function allOperations(deps: OperationDeps): Operation[] {
  const operations: Operation[] = [
    ...declared({ ...deps, createdKinds: createdKindsOf({ ...deps, instances: deps.messaging }) }),
    ...integrationOperations({ baseUrl: deps.baseUrl, operations: () => operations }),
  ];
  return operations;
}
