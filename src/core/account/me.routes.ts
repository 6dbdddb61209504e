/** `GET /me`: tells a key, or a person, what it is. Answered from the verified actor alone, with no database call. */
import Type, { type Static } from 'typebox';
import type { Actor } from '../auth/actor.ts';
import { ALL_SCOPES, ROLE_NAMES } from '../auth/scopes.ts';
import { publicId } from '../../platform/http/ids.ts';
import { type Operation, operation } from '../api/operation.ts';
import { RateLimit } from '../api/rate-limit.schema.ts';
import { Enum, Id, Nullable, Timestamp } from '../../platform/http/schema.ts';

const Me = Type.Object(
  {
    id: Type.String({
      description: 'Id of the key or person.',
      examples: ['key_01h2xcejqtf2nbrexx3vqjhp41'],
    }),
    object: Type.Literal('me', { description: 'Always `me`.', examples: ['me'] }),
    kind: Enum(['api_key', 'session', 'user'], {
      description: 'An API key, a person in a workspace, or a person outside any.',
      examples: ['api_key'],
    }),
    name: Type.String({ description: 'Name of the key or person.', examples: ['Production site'] }),
    email: Nullable(Type.String(), { description: "A person's email address.", examples: [null] }),
    workspace: Nullable(
      Type.Object({
        id: Id('workspace'),
        name: Type.String({ description: 'Its name.', examples: ['Acme'] }),
        slug: Type.String({ description: 'Its slug.', examples: ['acme'] }),
      }),
      { description: 'The workspace that calls act in.' },
    ),
    role: Nullable(Enum(ROLE_NAMES), { description: "A person's role in it.", examples: [null] }),
    scopes: Type.Array(Enum(ALL_SCOPES), {
      description: 'What calls may do.',
      examples: [['links:read', 'links:write']],
    }),
    rate_limit: Nullable(RateLimit, { description: 'null for none.' }),
    allowed_ips: Type.Array(Type.String(), {
      description: 'Networks that the key works from; empty for any.',
      examples: [[]],
    }),
    allowed_origins: Type.Array(Type.String(), {
      description: 'Origins that the key works from; empty for any.',
      examples: [[]],
    }),
    expires_at: Nullable(Timestamp('When the key or session ends.'), { examples: [null] }),
    default_domain: Type.String({
      description: "Host of short links without a domain of the workspace's own.",
      examples: ['localhost:3000'],
    }),
  },
  { title: 'Me' },
);

function presentMe(actor: Actor, defaultDomain: string): Static<typeof Me> {
  const inWorkspace = actor.kind === 'user' ? null : actor;
  const key = actor.kind === 'api_key' ? actor : null;
  return {
    id: actor.id,
    object: 'me',
    kind: actor.kind,
    name: actor.name,
    email: actor.kind === 'api_key' ? null : actor.email,
    workspace: inWorkspace && {
      id: publicId('workspace', inWorkspace.workspaceId),
      ...inWorkspace.workspace,
    },
    role: actor.kind === 'session' ? actor.role : null,
    scopes: inWorkspace ? [...inWorkspace.scopes] : [],
    rate_limit: key?.rateLimit ?? null,
    allowed_ips: [...(key?.allowedIps ?? [])],
    allowed_origins: [...(key?.allowedOrigins ?? [])],
    expires_at: actor.expiresAt === null ? null : new Date(actor.expiresAt).toISOString(),
    default_domain: defaultDomain,
  };
}

export function meOperations({ baseUrl }: { baseUrl: string }): Operation[] {
  const presented = new WeakMap<Actor, Static<typeof Me>>();
  const defaultDomain = new URL(baseUrl).host;
  return [
    operation(
      {
        id: 'me.get',
        method: 'GET',
        path: '/me',
        tag: 'Account',
        summary: 'Who am I',
        description:
          'What this key or session is and may do. A good first call, and a cheap check that a key works.',
        access: 'anyone',
        success: { status: 200, description: 'The key or person that calls.', schema: Me },
      },
      ({ actor }) => {
        let body = presented.get(actor);
        if (!body) presented.set(actor, (body = presentMe(actor, defaultDomain)));
        return { body };
      },
    ),
  ];
}
