/** What takes in or calls out on its own, of each surface, in the order in which it is disabled. */
import { createdKeys } from './api-keys/created-keys.ts';
import { createdEndpoints, createdRules } from './automation/created-automation.ts';
import type { CreatedKind } from './created-objects/created-kind.ts';
import { createdInstances } from './messaging/instances/created-instances.ts';
import type { WishDeps } from './messaging/instances/instance-wish.service.ts';
import { createdInspectors, createdWebhooks } from './webhooks/created-webhooks.ts';

export const createdKindsOf = (deps: { baseUrl: string; instances: WishDeps }): CreatedKind[] => [
  createdKeys,
  createdWebhooks,
  createdInspectors,
  createdInstances(deps.instances),
  createdEndpoints(deps.baseUrl),
  createdRules,
];
