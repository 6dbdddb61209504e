/** `GET /me`: describes the calling key or person. Answered from the verified actor, without a database call. */
import Type, { type Static } from 'typebox';
import type { Actor } from '../auth/actor.ts';
import { ALL_SCOPES, ROLE_NAMES } from '../vocabulary/scopes.ts';
import { publicId } from '../vocabulary/ids.ts';
import { type Operation, operation } from '../api/operation.ts';
import { RateLimit } from '../api/rate-limit.schema.ts';
import { Enum, Nullable, Timestamp } from '../../platform/http/schema.ts';
import { Id } from '../api/id-schema.ts';

const Me = Type.Object(
  {
    id: Type.String({
      description: 'ID of the API key or user.',
      examples: ['key_01h2xcejqtf2nbrexx3vqjhp41'],
    }),
    object: Type.Literal('me', { description: 'Always `me`.', examples: ['me'] }),
    kind: Enum(['api_key', 'session', 'user'], {
      description: 'An API key, a user in a workspace, or a user without a workspace.',
      examples: ['api_key'],
    }),
    name: Type.String({ description: 'Name of the API key or user.', examples: ['Production site'] }),
    email: Nullable(Type.String(), { description: 'Email address of the user.', examples: [null] }),
    workspace: Nullable(
      Type.Object({
        id: Id('workspace'),
        name: Type.String({ description: 'Name of the workspace.', examples: ['Acme'] }),
        slug: Type.String({ description: 'Slug of the workspace.', examples: ['acme'] }),
      }),
      { description: 'The workspace of the request.' },
    ),
    role: Nullable(Enum(ROLE_NAMES), { description: 'Role of the user in the workspace.', examples: [null] }),
    scopes: Type.Array(Enum(ALL_SCOPES), {
      description: 'The granted scopes.',
      examples: [['links:read', 'links:write']],
    }),
    rate_limit: Nullable(RateLimit, { description: 'null for none.' }),
    allowed_ips: Type.Array(Type.String(), {
      description: 'IP addresses or CIDR ranges that the key can be used from; empty for any.',
      examples: [[]],
    }),
    allowed_origins: Type.Array(Type.String(), {
      description: 'Origins of web pages that the key can be used from; empty for any.',
      examples: [[]],
    }),
    expires_at: Nullable(Timestamp('When the key or session expires.'), { examples: [null] }),
    default_domain: Type.String({
      description: 'The default domain for short links.',
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
        summary: 'Get the current identity',
        description:
          'Returns the API key or user that makes the request, with its permissions. Use it to check that a key works.',
        access: 'anyone',
        success: { status: 200, description: 'The API key or user that makes the request.', schema: Me },
      },
      ({ actor }) => {
        let body = presented.get(actor);
        if (!body) presented.set(actor, (body = presentMe(actor, defaultDomain)));
        return { body };
      },
    ),
  ];
}
