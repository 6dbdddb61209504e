/** All automation operations, in the order of the OpenAPI document. */
import type { SecretBox } from '../../platform/crypto/secret-box.ts';
import type { Units } from '../../core/unit/unit-of-work.ts';
import type { EventTypes } from '../../core/events/event-type.service.ts';
import type { Operation } from '../../core/api/operation.ts';
import type { RateLimiter } from '../../core/api/rate-limit.ts';
import type { LinksPort, MessagesPort, ModelsPort } from './ports/ports.ts';
import { publicationOperations } from './publications/publication.routes.ts';
import type { Receiver } from './publications/receive.ts';
import { publishOperations } from './publishing-endpoints/ingress/publish.routes.ts';
import { publishingEndpointOperations } from './publishing-endpoints/publishing-endpoint.routes.ts';
import { endpointTestOperations } from './publishing-endpoints/test-requests/endpoint-test.routes.ts';
import type { EndpointDeleted } from './publishing-endpoints/publishing-endpoint.service.ts';
import { type RuleRunDeps, ruleRunOperations } from './rules/rule-run.routes.ts';
import { type RuleDeps, ruleOperations } from './rules/rule.routes.ts';
import type { Templates } from '../../platform/templates/templates.ts';
import type { Quotas } from '../../core/workspaces/quota.ts';

export interface AutomationOperationDeps extends RuleRunDeps, Pick<RuleDeps, 'assertUrlAllowed'> {
  eventTypes: EventTypes;
  baseUrl: string;
  units: Units;
  secrets: SecretBox;
  quotas: Quotas;
  messages: MessagesPort;
  links: LinksPort;
  models: ModelsPort;
  templates: Templates;
  receiver: Receiver;
  /** Rate limiter for requests, per endpoint. */
  limiter: RateLimiter;
  endpointDeleted: EndpointDeleted;
}

/** Declares the operations. No dependency is called before an operation runs. */
export const automationOperations = (deps: AutomationOperationDeps): Operation[] => [
  ...publishingEndpointOperations(deps),
  ...endpointTestOperations(deps),
  ...publishOperations(deps),
  ...publicationOperations(deps),
  ...ruleOperations(deps),
  ...ruleRunOperations(deps),
];
