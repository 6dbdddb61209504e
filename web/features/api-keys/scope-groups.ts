/** Names of scopes and presets, and the scopes as a grid with one row per resource. */
import { t } from '../../copy/text.ts';
import type { ScopeName } from '../../api/types.ts';

const SURFACES: { label: string; resources: string[] }[] = [
  {
    label: t('Workspace'),
    resources: ['workspaces', 'members', 'api_keys', 'events', 'webhooks', 'audit', 'usage'],
  },
  { label: t('AI models'), resources: ['models', 'providers'] },
  { label: t('Messaging'), resources: ['instances', 'messages', 'chats', 'groups', 'contacts', 'media'] },
  { label: t('Short links'), resources: ['links', 'domains'] },
  { label: t('Automation'), resources: ['publishing', 'rules'] },
];

const NAMES: Record<string, string> = {
  workspaces: t('Workspace'),
  members: t('Members'),
  api_keys: t('API keys'),
  events: t('Events'),
  webhooks: t('Webhooks'),
  audit: t('Audit log'),
  usage: t('Usage'),
  models: t('Models'),
  providers: t('Model providers'),
  instances: t('Instances'),
  messages: t('Messages'),
  chats: t('Chats'),
  groups: t('Groups'),
  contacts: t('Contacts'),
  media: t('Media'),
  links: t('Links'),
  domains: t('Domains'),
  publishing: t('Publishing'),
  rules: t('Rules'),
};

const PRESET_NAMES = {
  messaging: t('Messaging'),
  links: t('Links'),
  automation: t('Automation'),
  models: t('AI models'),
  full: t('Full access'),
  read_only: t('Read only'),
};
export const PRESETS = Object.keys(PRESET_NAMES) as (keyof typeof PRESET_NAMES)[];

/** Returns `read_only` as "Read only". */
const toWords = (id: string): string => id.charAt(0).toUpperCase() + id.slice(1).replaceAll('_', ' ');

export const presetName = (id: string): string =>
  new Map(Object.entries(PRESET_NAMES)).get(id) ?? toWords(id);

/** Returns the action of a narrow scope: "Invoke" for `models:invoke`. */
export const getAction = (scope: ScopeName): string => toWords(scope.split(':')[1] ?? scope);

export interface ScopeRow {
  resource: string;
  label: string;
  read: ScopeName | undefined;
  write: ScopeName | undefined;
  /** Narrower scopes, such as `models:invoke`. */
  others: ScopeName[];
}

/** @param scopes as `resource:action` */
export function scopeGrid(scopes: readonly ScopeName[]): { label: string; rows: ScopeRow[] }[] {
  const known = new Set(SURFACES.flatMap(({ resources }) => resources));
  const unknown = [...new Set(scopes.map((scope) => scope.split(':')[0] ?? ''))].filter(
    (name) => !known.has(name),
  );
  return [...SURFACES, { label: t('Other'), resources: unknown }]
    .map(({ label, resources }) => ({
      label,
      rows: resources
        .map((resource) => {
          const own = scopes.filter((scope) => scope.startsWith(`${resource}:`));
          return {
            resource,
            label: NAMES[resource] ?? toWords(resource),
            read: own.find((scope) => scope.endsWith(':read')),
            write: own.find((scope) => scope.endsWith(':write')),
            others: own.filter((scope) => !/:(read|write)$/.test(scope)),
          };
        })
        .filter((row) => row.read ?? row.write ?? row.others.length > 0),
    }))
    .filter(({ rows }) => rows.length > 0);
}
