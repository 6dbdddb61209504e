/** What WORKSPACE_LIMITS can limit: of the workspace itself, and of each surface. */
import { countEndpoints } from '../surfaces/automation/publishing-endpoints/endpoint.store.ts';
import { countRules } from '../surfaces/automation/rules/rule.store.ts';
import { countDomains } from '../surfaces/links/domains/domain.store.ts';
import { countLinks } from '../surfaces/links/link.store.ts';
import { countContacts } from '../surfaces/messaging/contacts/contact.store.ts';
import { countInstances } from '../surfaces/messaging/instances/instance.store.ts';
import { countMediaBytes } from '../surfaces/messaging/media/media-bytes.store.ts';
import { countMedia } from '../surfaces/messaging/media/media.store.ts';
import { countProviders } from '../surfaces/models/providers/provider.store.ts';
import { countRoutes } from '../surfaces/models/routes/route.store.ts';
import { countBudgets } from '../surfaces/models/budgets/budget.store.ts';
import { countWebhooks } from '../core/webhooks/webhook.store.ts';
import { type CountResource, type QuotaResource, WORKSPACE_COUNTERS } from '../core/workspaces/quota.ts';

export const COUNTERS: Record<QuotaResource, CountResource> = {
  ...WORKSPACE_COUNTERS,
  webhooks: countWebhooks,
  media: countMedia,
  media_bytes: countMediaBytes,
  instances: countInstances,
  contacts: countContacts,
  links: countLinks,
  domains: countDomains,
  rules: countRules,
  publishing_endpoints: countEndpoints,
  model_providers: countProviders,
  model_routes: countRoutes,
  budgets: countBudgets,
};
