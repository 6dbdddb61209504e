/** For tests of a rotation: a workspace that has something sealed at every place, and what a database holds sealed. */
import { sql } from 'kysely';
import { createSecretBox, type SecretBox } from '../../src/platform/crypto/secret-box.ts';
import type { Database } from '../../src/platform/db/database.ts';
import { toUuid } from '../../src/core/vocabulary/ids.ts';
import { sealPairing } from '../../src/surfaces/messaging/instances/instance-secrets.ts';
import { startWorkspace, type TestApp } from './test-app.ts';
import { SEALED_COLUMNS } from '../../src/app/surfaces.ts';
import type { Row } from '../../src/core/sealed-column.ts';

export const OLD = 'the old secret of these tests, long enough';
export const NEW = 'the new secret of these tests, long enough';

/** Settings of an app for `fillPlaces`. It opens what was sealed anew as well; mails and files only wait there. */
export const SETTINGS = {
  FAIRLEAD_SECRET: OLD,
  FAIRLEAD_SECRET_ALSO: NEW,
  ROLE: 'api',
  SMTP_URL: 'smtp://127.0.0.1:1',
  EGRESS_ALLOW: '127.0.0.1',
};

export type Filled = Awaited<ReturnType<typeof startWorkspace>> & {
  webhook: string;
  inspector: string;
  instance: string;
};

/** Makes something at every place that sealed values lie in: through the API where it keeps them. */
export async function fillPlaces(app: TestApp): Promise<Filled> {
  const home = await startWorkspace(app);
  const send = async (path: string, body: object = {}) => {
    const answer = await app.call(path, { key: home.key, body });
    if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const webhook = await send('/webhooks', {
    url: 'http://127.0.0.1:1/',
    events: ['invitation.revoked'],
    headers: { 'x-key': 'of the webhook' },
  });
  await send(`/webhooks/${webhook.id}/rotate-secret`);
  await send('/model-providers', {
    kind: 'openai_compatible',
    slug: 'models',
    base_url: 'http://127.0.0.1:1/v1',
    api_key: 'of-the-provider',
  });
  await home.owner.call(`/workspaces/${home.workspace}`, {
    workspace: home.workspace,
    method: 'PATCH',
    body: { store_model_calls: true },
  });
  await send('/chat/completions', {
    model: 'fairlead/echo',
    messages: [{ role: 'user', content: 'of the call' }],
  });
  const inspector = await send('/inspectors', { name: 'Inspector' });
  await fetch(app.base + new URL(inspector.url).pathname, { method: 'POST', body: 'hello' });
  const instance = await send('/instances', {
    name: 'Account',
    channel: 'xmpp',
    settings: { jid: 'ada@xmpp.example', host: '127.0.0.1' },
    credentials: { password: 'of the account' },
  });
  const sandbox = await send('/instances', { name: 'box', channel: 'sandbox' });
  const endpoint = await send('/publishing-endpoints', {
    name: 'Blog',
    auth: { type: 'signature', scheme: 'github' },
    destinations: [{ instance_id: sandbox.id, to: 'alice', template: 'New' }],
  });
  await send(`/publishing-endpoints/${endpoint.id}/rotate`);
  await send('/rules', {
    name: 'Rule',
    events: ['invitation.revoked'],
    actions: [{ type: 'call_webhook', url: 'http://127.0.0.1:1/', headers: { 'x-key': 'of the rule' } }],
  });
  await send('/media', { url: 'http://127.0.0.1:1/?token=of-the-address' });
  await home.owner.call('/invitations', {
    workspace: home.workspace,
    body: { email: 'eve@example.com', role: 'viewer' },
  });

  const row = { workspace_id: toUuid('workspace', home.workspace)!, id: toUuid('instance', instance.id)! };
  const step = { kind: 'qr' as const, data: 'to pair by', expiresAt: new Date(Date.now() + 3_600_000) };
  const { pool } = app.database;
  await pool.query('update instances set pairing_sealed = $1 where id = $2', [
    sealPairing(createSecretBox(OLD), row, step).pairing_sealed,
    row.id,
  ]);
  // What a log-out leaves until it is done.
  await pool.query(
    `insert into connections (instance_id, workspace_id, wanted, due_at, logout_credentials_sealed)
     select id, workspace_id, false, 'infinity', credentials_sealed from instances where id = $1
     on conflict (instance_id) do update set due_at = 'infinity', logout_credentials_sealed = excluded.logout_credentials_sealed`,
    [row.id],
  );
  return { ...home, webhook: webhook.id, inspector: inspector.id, instance: instance.id };
}

/** Every sealed value in clear, by its column and row. @throws Error for one that `box` doesn't open */
export async function everythingOpened(db: Database, box: SecretBox): Promise<Map<string, string>> {
  const opened = new Map<string, string>();
  for (const { table, key, values } of SEALED_COLUMNS) {
    const { rows } = await sql<{ row: Record<string, unknown> }>`
      select to_jsonb(t) as row from ${sql.table(table)} t
    `.execute(db);
    for (const { row } of rows)
      for (const { column, member, context } of values) {
        const sealed = member ? (row[column] as Record<string, string>)[member] : row[column];
        const name = Object.keys(key).map((part) => String(row[part]));
        if (sealed)
          opened.set(`${table}.${column} ${name.join(' ')}`, box.open(sealed as string, context(row as Row)));
      }
  }
  return opened;
}

/** Tables, with their schema where it isn't ours, any row of which holds a value under this key, in any column. */
export async function tablesWithKey(db: Database, keyId: string): Promise<string[]> {
  const { rows: tables } = await sql<{ name: string }>`
    select case when n.nspname = current_schema() then c.relname else n.nspname || '.' || c.relname end as name
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p') and not c.relispartition and n.nspname in (current_schema(), 'pgboss')
  `.execute(db);
  const found: string[] = [];
  for (const { name } of tables) {
    const { rows } = await sql<{ holds: boolean }>`
      select exists (select from ${sql.table(name)} t where t::text like ${`%v1.${keyId}.%`}) as holds
    `.execute(db);
    if (rows[0]!.holds) found.push(name);
  }
  return found.sort();
}
