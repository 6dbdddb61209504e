/** Scopes, presets and roles as the API shows them. */
import Type from 'typebox';
import { PRESET_NAMES, ROLE_NAMES } from '../vocabulary/scopes.ts';
import { ScopeName } from '../auth/scope-name.schema.ts';
import { Enum, toListSchema } from '../../platform/http/schema.ts';

const Scope = Type.Object(
  {
    id: ScopeName,
    object: Type.Literal('scope', { description: 'The type of the object.', examples: ['scope'] }),
    description: Type.String({
      description: 'What the scope allows.',
      examples: ['Create, change and delete short links, clicks and analytics.'],
    }),
    resource: Type.String({ description: 'The resource of the scope.', examples: ['links'] }),
    action: Type.String({ description: 'The access to the resource.', examples: ['write'] }),
  },
  { title: 'Scope' },
);

const Scopes = Type.Array(ScopeName, {
  description: 'The included scopes.',
  examples: [['links:read', 'links:write']],
});

const Preset = Type.Object({
  id: Enum(PRESET_NAMES, { description: 'The name of the preset.', examples: ['links'] }),
  object: Type.Literal('preset', { description: 'The type of the object.', examples: ['preset'] }),
  description: Type.String({
    description: 'Description of the object.',
    examples: ['Short links and their domains.'],
  }),
  scopes: Scopes,
});

const RoleEntry = Type.Object({
  id: Enum(ROLE_NAMES, { description: 'The name of the role.', examples: ['developer'] }),
  object: Type.Literal('role', { description: 'The type of the object.', examples: ['role'] }),
  description: Type.String({ description: 'Description of the object.', examples: ['Builds with the API.'] }),
  scopes: Scopes,
});

export const ScopeList = Type.Object({
  ...toListSchema(Scope).properties,
  presets: Type.Array(Preset, {
    description: 'Named sets of scopes for API keys. A key gets only those scopes that its creator has.',
  }),
  roles: Type.Array(RoleEntry, { description: 'The roles of members, highest first.' }),
  browser_scopes: Type.Array(ScopeName, {
    description: 'The only scopes that a key with `allowed_origins` can have, because such a key is public.',
    examples: [['models:read', 'links:create']],
  }),
});
