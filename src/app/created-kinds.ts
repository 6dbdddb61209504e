/** What takes in or calls out on its own, of each surface, in the order in which it is disabled. */
import { createdKeys } from '../core/api-keys/created-keys.ts';
import { createdEndpoints, createdRules } from '../surfaces/automation/created-automation.ts';
import type { CreatedKind } from '../core/created-objects/created-kind.ts';
import { createdInstances } from '../surfaces/messaging/instances/created-instances.ts';
import type { DesiredStateDeps } from '../surfaces/messaging/instances/desired-state.service.ts';
import { createdInspectors, createdWebhooks } from '../core/webhooks/created-webhooks.ts';

export const createCreatedKinds = (deps: { baseUrl: string; instances: DesiredStateDeps }): CreatedKind[] => [
  createdKeys,
  createdWebhooks,
  createdInspectors,
  createdInstances(deps.instances),
  createdEndpoints(deps.baseUrl),
  createdRules,
];
