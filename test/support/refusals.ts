/** Who must be refused at an operation, how, and by which words: made from the access that it declares. */
import { generateSecret } from '../../src/platform/crypto/api-key-secret.ts';
import { ALL_SCOPES, isScope, ROLES, scopesThatAllow } from '../../src/core/vocabulary/scopes.ts';
import type { Person } from './test-app.ts';
import type { ApiOperation } from './api-document.ts';
import type { World } from './tenancy-world.ts';

export interface Refusal {
  who: string;
  headers: Record<string, string>;
  status: 401 | 403 | 404;
  code: string;
  /** What the detail must name. */
  says?: string;
}

const MALFORMED = [
  '',
  'Bearer',
  'Bearer ',
  'Bearer nonsense',
  'Bearer fl_short',
  'Basic Zmw6Zmw=',
  'Bearer null',
  'Token fl_000000000000000000000000000000000000',
];

const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` });

/** The same secret with one character of its checksum changed. */
const withWrongChecksum = (secret: string): string =>
  secret.slice(0, -1) + (secret.endsWith('a') ? 'b' : 'a');

const swapCase = (secret: string): string => secret.replace(/[a-z]/i, (letter) => letter.toUpperCase());

function badKeys({ keys }: World, good: string): Refusal[] {
  const refused = (who: string, headers: Record<string, string>, code = 'invalid_key'): Refusal => ({
    who,
    headers,
    status: 401,
    code,
  });
  return [
    refused('nobody', {}),
    ...MALFORMED.map((authorization) => refused(`malformed "${authorization}"`, { authorization })),
    refused('key without Bearer', { authorization: good }),
    refused('key and more', bearer(`${good}x`)),
    refused('two keys', { authorization: `Bearer ${good}, Bearer ${good}` }),
    refused('key in another case', bearer(swapCase(good))),
    refused('wrong checksum', bearer(withWrongChecksum(good))),
    refused('unknown key', bearer(keys.unknown)),
    refused('another unknown key', bearer(generateSecret())),
    refused('key of a deleted workspace', bearer(keys.ofDeleted)),
    refused('revoked key', bearer(keys.revoked), 'key_revoked'),
    refused('rotated secret', bearer(keys.rotated), 'key_revoked'),
    refused('expired key', bearer(keys.expired), 'key_expired'),
  ];
}

function badSessions(world: World, isWrite: boolean): Refusal[] {
  const { app, victim, people } = world;
  const session = ({ cookie }: Person, more: Record<string, string> = {}) => ({
    cookie,
    origin: app.base,
    'fairlead-workspace': victim.workspace,
    ...more,
  });
  const owner = session(victim.owner);
  const { origin: _, ...withoutOrigin } = owner;
  const tampered = { ...owner, cookie: owner.cookie.replace(/(session_token=.)/, '$1x') };
  const refused = (who: string, headers: Record<string, string>, code: string): Refusal => ({
    who,
    headers,
    status: 403,
    code,
  });
  const notSignedIn = (who: string, headers: Record<string, string>, code = 'not_signed_in'): Refusal => ({
    who,
    headers,
    status: 401,
    code,
  });
  const foreignOrigins = [
    'https://evil.example',
    'null',
    `${app.base}0`,
    app.base.replace('http:', 'https:'),
    app.base.replace('localhost', '127.0.0.1'),
  ];
  return [
    ...foreignOrigins.map((origin) =>
      refused(`cookie from ${origin}`, { ...owner, origin }, 'origin_not_allowed'),
    ),
    refused(
      'cookie from elsewhere that claims the same origin',
      { ...owner, origin: 'https://evil.example', 'sec-fetch-site': 'same-origin' },
      'origin_not_allowed',
    ),
    ...(isWrite
      ? [
          refused('cookie write without Origin', withoutOrigin, 'origin_not_allowed'),
          ...['cross-site', 'same-site', 'none', 'same-origin, cross-site'].map((site) =>
            refused(
              `cookie write, ${site}`,
              { ...withoutOrigin, 'sec-fetch-site': site },
              'origin_not_allowed',
            ),
          ),
        ]
      : []),
    notSignedIn(
      'bad key beside a good cookie',
      { ...owner, authorization: 'Bearer nonsense' },
      'invalid_key',
    ),
    notSignedIn('cookie that was tampered with', tampered, 'invalid_key'),
    notSignedIn('signed-out session', session(people.signedOut)),
    notSignedIn('disabled person', session(people.disabled)),
    refused('removed member', session(people.removed), 'workspace_required'),
    refused('no member', session(world.intruder.owner), 'workspace_required'),
    refused(
      'owner with a garbled workspace',
      { ...owner, 'fairlead-workspace': 'ws_garbled' },
      'workspace_required',
    ),
    refused(
      'owner with two workspaces',
      { ...owner, 'fairlead-workspace': `${victim.workspace}, ${world.intruder.workspace}` },
      'workspace_required',
    ),
  ];
}

async function badScopes(operation: ApiOperation, world: World): Promise<Refusal[]> {
  const { app, victim, keys, people } = world;
  const access = operation.access ?? '';
  const isWrite = operation.method !== 'GET';
  const viewer = { cookie: people.viewer.cookie, origin: app.base, 'fairlead-workspace': victim.workspace };
  if (access === 'user') {
    const all = await world.keyWith(ALL_SCOPES);
    return [
      { who: 'key, where a person is needed', headers: bearer(all), status: 403, code: 'session_required' },
    ];
  }
  if (access === 'actor' && isWrite)
    return [
      { who: 'viewer', headers: viewer, status: 403, code: 'insufficient_scope' },
      {
        who: 'key with one other scope',
        headers: bearer(await world.keyWith(['rules:read'])),
        status: 403,
        code: 'insufficient_scope',
      },
    ];
  if (!isScope(access)) return [];
  const others = ALL_SCOPES.filter((scope) => !scopesThatAllow(access).includes(scope));
  const lacking = { status: 403, code: 'insufficient_scope', says: access } as const;
  return [
    { who: 'key with every other scope', headers: bearer(await world.keyWith(others)), ...lacking },
    ...(ROLES.viewer.includes(access) ? [] : [{ who: 'viewer', headers: viewer, ...lacking }]),
    {
      who: 'browser key from no page',
      headers: bearer(keys.browser),
      status: 403,
      code: 'origin_not_allowed',
    },
  ];
}

/** Keys that have every scope but one of those that an operation needs besides its `x-access`. */
const withoutFurtherScopes = ({ alsoNeeds }: ApiOperation, world: World): Promise<Refusal[]> =>
  Promise.all(
    alsoNeeds.map(async (scope) => {
      const others = ALL_SCOPES.filter((one) => !scopesThatAllow(scope).includes(one));
      return {
        who: `key with every scope but ${scope}`,
        headers: bearer(await world.keyWith(others)),
        status: 403,
        code: 'insufficient_scope',
        says: scope,
      };
    }),
  );

export async function refusalsFor(operation: ApiOperation, world: World): Promise<Refusal[]> {
  const { access } = operation;
  if (access === 'public') return [];
  const { app, victim, keys } = world;
  const good = await world.keyWith(ALL_SCOPES);
  const needsWorkspace = access !== 'user' && access !== 'anyone';
  return [
    ...badKeys(world, good),
    ...badSessions(world, operation.method !== 'GET'),
    ...(await badScopes(operation, world)),
    ...(await withoutFurtherScopes(operation, world)),
    { who: 'key from another address', headers: bearer(keys.elsewhere), status: 403, code: 'ip_not_allowed' },
    {
      who: 'browser key from another page',
      headers: { ...bearer(keys.browser), origin: 'https://evil.example' },
      status: 403,
      code: 'origin_not_allowed',
    },
    ...(needsWorkspace
      ? [
          {
            who: 'owner without a workspace',
            headers: { cookie: victim.owner.cookie, origin: app.base },
            status: 403,
            code: 'workspace_required',
          } as const,
        ]
      : []),
  ];
}
