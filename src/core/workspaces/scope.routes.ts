/** `GET /scopes`: the table of scopes, for forms that create keys or invitations. */
import {
  ALL_SCOPES,
  BROWSER_SCOPES,
  PRESET_NAMES,
  PRESETS,
  type Preset,
  ROLE_NAMES,
  ROLES,
  type Role,
  SCOPES,
} from '../vocabulary/scopes.ts';
import { type Operation, operation } from '../api/operation.ts';
import { toCompleteList } from '../../platform/http/pagination.ts';
import { ScopeList } from './scope.schema.ts';

const PRESET_TEXTS: Record<Preset, string> = {
  messaging: 'Channels, messages, chats, groups, contacts and media, and the events about them.',
  links: 'Short links and their domains, and the events about them.',
  automation: 'Publishing endpoints and rules, and what they send and shorten.',
  models: 'Listing and calling AI models.',
  full: 'Everything that you can do, except managing API keys.',
  read_only: 'Read access to everything.',
};

const ROLE_TEXTS: Record<Role, string> = {
  owner: 'Everything, including deleting the workspace. Only an owner can make someone an owner.',
  admin: 'Everything except deleting the workspace.',
  developer: 'Everything except the workspace itself, its members, and the audit log.',
  viewer: 'Read access to everything except API keys and the audit log.',
};

const ANSWER = {
  ...toCompleteList(
    ALL_SCOPES.map((scope) => {
      const [resource = '', action = ''] = scope.split(':');
      return { id: scope, object: 'scope' as const, description: SCOPES[scope], resource, action };
    }),
  ),
  presets: PRESET_NAMES.map((id) => ({
    id,
    object: 'preset' as const,
    description: PRESET_TEXTS[id],
    scopes: [...PRESETS[id]],
  })),
  roles: ROLE_NAMES.map((id) => ({
    id,
    object: 'role' as const,
    description: ROLE_TEXTS[id],
    scopes: [...ROLES[id]],
  })),
  browser_scopes: [...BROWSER_SCOPES],
};

export const scopeOperations = (): Operation[] => [
  operation(
    {
      id: 'scopes.list',
      method: 'GET',
      path: '/scopes',
      tag: 'API keys',
      summary: 'List scopes, presets and roles',
      description: 'Returns all entries without pagination.',
      access: 'anyone',
      success: { status: 200, description: 'Every scope, preset and role.', schema: ScopeList },
    },
    () => ({ body: ANSWER }),
  ),
];
