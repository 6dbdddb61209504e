/** What WORKSPACE_LIMITS can limit: of the workspace itself, and of each surface. */
import { countEndpoints } from './automation/publishing-endpoints/endpoint.store.ts';
import { countRules } from './automation/rules/rule.store.ts';
import { countDomains } from './links/domains/domain.store.ts';
import { countLinks } from './links/link.store.ts';
import { countContacts } from './messaging/contacts/contact.store.ts';
import { countInstances } from './messaging/instances/instance.store.ts';
import { countMedia } from './messaging/media/media.store.ts';
import { countWebhooks } from './webhooks/webhook.store.ts';
import { type CountResource, WORKSPACE_COUNTERS } from './workspaces/quota.ts';

export const COUNTERS: Record<string, CountResource> = {
  ...WORKSPACE_COUNTERS,
  webhooks: countWebhooks,
  media: countMedia,
  instances: countInstances,
  contacts: countContacts,
  links: countLinks,
  domains: countDomains,
  rules: countRules,
  publishing_endpoints: countEndpoints,
};
