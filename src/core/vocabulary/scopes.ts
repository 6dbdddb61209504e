/**
 * The one table of scopes, roles and presets. The guard, OpenAPI's security, the key dialog (`GET /scopes`) and the
 * documentation are made from it.
 */
const READ_WRITE = {
  workspaces: 'the workspace itself',
  members: 'members and invitations',
  api_keys: 'API keys',
  models: 'AI models',
  providers: 'AI model providers',
  instances: 'channel instances',
  messages: 'messages',
  chats: 'chats',
  groups: 'groups',
  contacts: 'contacts',
  media: 'media',
  links: 'short links, clicks and analytics',
  domains: 'link domains',
  publishing: 'publishing endpoints and publications',
  rules: 'rules',
  webhooks: 'webhooks and deliveries',
  events: 'the event log',
  audit: 'the audit log',
  usage: 'usage and limits',
} as const;

type Resource = keyof typeof READ_WRITE;
export type Scope =
  | `${Resource}:${'read' | 'write'}`
  | 'models:invoke'
  | 'links:create'
  | 'publishing:publish';

/** Maps each scope to a description of its permissions, in the order in which scopes are listed everywhere. */
export const SCOPES = Object.fromEntries([
  ...(Object.keys(READ_WRITE) as Resource[]).flatMap((resource) => [
    [`${resource}:read`, `Read ${READ_WRITE[resource]}.`],
    [`${resource}:write`, `Create, change and delete ${READ_WRITE[resource]}.`],
  ]),
  ['models:invoke', 'Call AI models.'],
  ['links:create', 'Create short links only.'],
  ['publishing:publish', 'Publish to publishing endpoints.'],
]) as Record<Scope, string>;

export const ALL_SCOPES = Object.keys(SCOPES) as Scope[];

/** Scopes that others bring with them. */
const BROUGHT_BY: Partial<Record<Scope, readonly Scope[]>> = { 'links:create': ['links:write'] };

/** Returns the scopes that include the permissions of `scope`. */
export const scopesThatAllow = (scope: Scope): readonly Scope[] => [scope, ...(BROUGHT_BY[scope] ?? [])];

/** Whether holders of `scopes` have the permissions of `scope`. */
export const mayDo = (scopes: ReadonlySet<Scope>, scope: Scope): boolean =>
  scopesThatAllow(scope).some((one) => scopes.has(one));

const of = (...resources: Resource[]): Scope[] =>
  ALL_SCOPES.filter((scope) => (resources as string[]).includes(scope.split(':')[0]!));

/** Named sets of scopes. A key created from one gets those of its scopes that its creator has. */
export const PRESETS = {
  messaging: of('instances', 'messages', 'chats', 'groups', 'contacts', 'media', 'webhooks', 'events'),
  links: of('links', 'domains', 'webhooks', 'events'),
  automation: [...of('publishing', 'rules', 'webhooks', 'events'), 'messages:write', 'links:write'],
  models: ['models:read', 'models:invoke'],
  // A key that leaks must not be able to make others, which would outlive it.
  full: ALL_SCOPES.filter((scope) => scope !== 'api_keys:write'),
  read_only: ALL_SCOPES.filter((scope) => scope.endsWith(':read')),
} as const satisfies Record<string, readonly Scope[]>;

export type Preset = keyof typeof PRESETS;
export const PRESET_NAMES = Object.keys(PRESETS) as Preset[];

/** All that a key in a browser may hold: such a key is public. */
export const BROWSER_SCOPES: readonly Scope[] = [
  'models:read',
  'models:invoke',
  'links:create',
  'publishing:publish',
];

const VIEWER_LACKS: readonly Scope[] = ['api_keys:read', 'audit:read'];

export const ROLES = {
  owner: ALL_SCOPES,
  admin: ALL_SCOPES,
  developer: ALL_SCOPES.filter(
    (scope) => scope !== 'workspaces:write' && scope !== 'members:write' && !scope.startsWith('audit:'),
  ),
  viewer: ALL_SCOPES.filter((scope) => scope.endsWith(':read') && !VIEWER_LACKS.includes(scope)),
} as const satisfies Record<string, readonly Scope[]>;

export type Role = keyof typeof ROLES;
export const ROLE_NAMES = Object.keys(ROLES) as Role[];

const RANK: Record<Role, number> = { viewer: 0, developer: 1, admin: 2, owner: 3 };

/** Whether `a` ranks no higher than `b`. */
export const roleAtMost = (a: Role, b: Role): boolean => RANK[a] <= RANK[b];

export const isScope = (value: string): value is Scope => Object.hasOwn(SCOPES, value);
