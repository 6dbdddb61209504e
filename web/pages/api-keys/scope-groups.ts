/** Scopes as a grid: one row a resource, in the order of the surfaces. */

import type { ScopeName } from '../../api/types.ts';

const SURFACES: { label: string; resources: string[] }[] = [
  {
    label: 'Workspace',
    resources: ['workspaces', 'members', 'api_keys', 'events', 'webhooks', 'audit', 'usage'],
  },
  { label: 'AI models', resources: ['models', 'providers'] },
  { label: 'Messaging', resources: ['instances', 'messages', 'chats', 'groups', 'contacts', 'media'] },
  { label: 'Short links', resources: ['links', 'domains'] },
  { label: 'Automation', resources: ['publishing', 'rules'] },
];

const NAMES: Record<string, string> = {
  workspaces: 'Workspace',
  api_keys: 'API keys',
  audit: 'Audit log',
  providers: 'Model providers',
};

export interface ScopeRow {
  resource: string;
  label: string;
  read: ScopeName | undefined;
  write: ScopeName | undefined;
  /** Narrower scopes, as `models:invoke`. */
  others: ScopeName[];
}

const labelOf = (resource: string): string =>
  NAMES[resource] ?? resource.charAt(0).toUpperCase() + resource.slice(1).replaceAll('_', ' ');

/** @param scopes every scope there is, as `resource:action` */
export function scopeGrid(scopes: readonly ScopeName[]): { label: string; rows: ScopeRow[] }[] {
  const known = new Set(SURFACES.flatMap(({ resources }) => resources));
  const unknown = [...new Set(scopes.map((scope) => scope.split(':')[0] ?? ''))].filter(
    (name) => !known.has(name),
  );
  return [...SURFACES, { label: 'Other', resources: unknown }]
    .map(({ label, resources }) => ({
      label,
      rows: resources
        .map((resource) => {
          const own = scopes.filter((scope) => scope.startsWith(`${resource}:`));
          return {
            resource,
            label: labelOf(resource),
            read: own.find((scope) => scope.endsWith(':read')),
            write: own.find((scope) => scope.endsWith(':write')),
            others: own.filter((scope) => !/:(read|write)$/.test(scope)),
          };
        })
        .filter((row) => row.read ?? row.write ?? row.others.length > 0),
    }))
    .filter(({ rows }) => rows.length > 0);
}
