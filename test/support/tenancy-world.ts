/**
 * Two workspaces and everybody who might call: keys in every state, and people who belong, belong no more, or never
 * did. What the victim's workspace holds bears a mark, so that any answer can be searched for it.
 */
import { randomBytes } from 'node:crypto';
import { generateSecret } from '../../src/platform/crypto/api-key-secret.ts';
import { ALL_SCOPES, type Scope } from '../../src/core/vocabulary/scopes.ts';
import { toUuid } from '../../src/core/vocabulary/ids.ts';
import type { Person, TestApp } from './test-app.ts';
import { join } from './workspaces.ts';
import { callAsOwner, type Home } from './makers.ts';
import { type Rows, tenantRows } from './tenant-rows.ts';

export interface World {
  app: TestApp;
  victim: Home;
  intruder: Home;
  /** In the name of everything that the victim's workspace holds, and nowhere else. */
  mark: string;
  keys: Record<
    'unknown' | 'revoked' | 'expired' | 'elsewhere' | 'browser' | 'ofDeleted' | 'rotated' | 'foreign',
    string
  >;
  people: Record<'viewer' | 'removed' | 'signedOut' | 'disabled', Person>;
  /** A key of the victim's workspace with these scopes. */
  keyWith(scopes: readonly Scope[]): Promise<string>;
  victimRows(): Promise<Rows>;
}

export async function makeHome(app: TestApp, name: string, owner?: Person): Promise<Home> {
  const person = owner ?? (await app.signUp(`${name}-owner@example.com`));
  const { status, body } = await person.call('/workspaces', { body: { name, slug: name } });
  if (status !== 201) throw new Error(`no workspace: ${JSON.stringify(body)}`);
  return { owner: person, workspace: body.id, slug: body.slug };
}

/** A person's session ended behind the guard's back is still told by the epoch, as an operator's command does it. */
async function disable(app: TestApp, { email }: Person): Promise<void> {
  await app.database.pool.query('update users set disabled_at = now() where email = $1', [email]);
  await app.database.pool.query(
    'update sessions set expires_at = now() where user_id = (select id from users where email = $1)',
    [email],
  );
}

async function signOut(app: TestApp, { cookie }: Person): Promise<void> {
  const headers = { cookie, origin: app.base };
  const { status } = await fetch(`${app.base}/api/auth/sign-out`, { method: 'POST', headers });
  if (status !== 200) throw new Error(`sign-out: ${status}`);
}

export async function makeWorld(app: TestApp): Promise<World> {
  const mark = `victim-${randomBytes(4).toString('hex')}`;
  const victim = await makeHome(app, mark);
  const intruder = await makeHome(app, `intruder-${randomBytes(4).toString('hex')}`);
  const makeKey = (home: Home, body: object): Promise<{ id: string; secret: string }> =>
    callAsOwner(home, '/api-keys', {
      name: `${home.slug} key`,
      scopes: ALL_SCOPES,
      rate_limit: null,
      ...body,
    });
  const key = async (body: object = {}, home = victim) => (await makeKey(home, body)).secret;

  const revoked = await makeKey(victim, {});
  await callAsOwner(victim, `/api-keys/${revoked.id}/revoke`, {});
  const rotated = await makeKey(victim, {});
  await callAsOwner(victim, `/api-keys/${rotated.id}/rotate`, { overlap_seconds: 0 });
  const expired = await makeKey(victim, {});
  await app.database.pool.query(
    `update api_keys set expires_at = now() - interval '1 second' where id = $1`,
    [toUuid('api_key', expired.id)],
  );
  const gone = await makeHome(app, `gone-${mark}`, intruder.owner);
  const ofDeleted = await key({}, gone);
  await callAsOwner(gone, `/workspaces/${gone.workspace}?slug=${gone.slug}`, undefined, 'DELETE');

  const member = (role: 'viewer' | 'admin') => join(app, { ...victim, key: '' }, role);
  const people = {
    viewer: await member('viewer'),
    removed: await member('admin'),
    signedOut: await member('admin'),
    disabled: await member('admin'),
  };
  await callAsOwner(victim, `/members/${people.removed.userId}`, undefined, 'DELETE');
  await signOut(app, people.signedOut);
  await disable(app, people.disabled);
  const inAYear = new Date(Date.now() + 365 * 86_400_000).toISOString();
  const keys = {
    unknown: generateSecret(),
    revoked: revoked.secret,
    rotated: rotated.secret,
    expired: expired.secret,
    ofDeleted,
    elsewhere: await key({ allowed_ips: ['192.0.2.0/24'] }),
    browser: await key({
      scopes: ['models:read', 'models:invoke', 'links:create', 'publishing:publish'],
      allowed_origins: ['https://shop.example'],
      expires_at: inAYear,
      rate_limit: { limit: 1_000_000, burst: 1_000_000 },
    }),
    foreign: await key({}, intruder),
  };
  await app.database.pool.query('update auth_epoch set epoch = epoch + 1');

  const byScopes = new Map<string, Promise<string>>();
  return {
    app,
    victim,
    intruder,
    mark,
    keys,
    people,
    keyWith(scopes) {
      const name = scopes.join();
      let secret = byScopes.get(name);
      if (!secret) byScopes.set(name, (secret = key({ scopes })));
      return secret;
    },
    victimRows: await tenantRows(app.database.pool, toUuid('workspace', victim.workspace)!),
  };
}
