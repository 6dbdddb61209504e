/** Where the console shows what an event is about. */
import { consoleLink } from '../../../platform/mail/console-link.ts';

const getId = (object: Record<string, unknown>, name: string): string =>
  typeof object[name] === 'string' ? object[name] : '';

/** By the noun of the type, as web/app has their paths. */
const PAGES: Record<string, (object: Record<string, unknown>) => string> = {
  message: (object) => `chats/${getId((object.chat ?? {}) as Record<string, unknown>, 'id')}`,
  chat: (object) => `chats/${getId(object, 'id')}`,
  group: (object) => `groups/${getId(object, 'id')}`,
  contact: () => 'contacts',
  instance: (object) => `instances/${getId(object, 'id')}`,
  link: (object) => `links/${getId(object, 'id')}`,
  domain: () => 'domains',
  webhook: (object) => `webhooks/${getId(object, 'id')}`,
  member: () => 'members',
  invitation: () => 'members',
  api_key: () => 'api-keys',
  workspace: () => 'settings',
  publishing_endpoint: (object) => `publishing/${getId(object, 'id')}`,
  publication: (object) => `publishing/${getId(object, 'endpoint_id')}`,
  model_provider: (object) => `model-providers/${getId(object, 'id')}`,
  budget: (object) => `budgets?id=${getId(object, 'id')}`,
  rule: (object) => `rules/${getId(object, 'rule_id') || getId(object, 'id')}`,
};

/** Of its object's page; of all events where it has none. */
export function consoleUrl(
  baseUrl: string,
  workspaceSlug: string,
  { type, data }: { type: string; data: unknown },
): string {
  const { object } = (data ?? {}) as { object?: unknown };
  const page = PAGES[type.split('.')[0]!];
  const path =
    page && typeof object === 'object' && object ? page(object as Record<string, unknown>) : 'events';
  return consoleLink(baseUrl, workspaceSlug, path.replace(/\/$/, ''));
}
