/** Entries of the audit log about links: each with its change, and at no further round trip where links are created. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { KeyActor } from '../../../core/auth/actor.ts';
import { createUnits } from '../../../core/unit/unit-of-work.ts';
import { createEventWriter } from '../../../core/unit/event-writer.ts';
import { newUuid } from '../../../platform/http/ids.ts';
import { publicId } from '../../../core/vocabulary/ids.ts';
import type { AuditOrigin } from '../../../core/api/operation.ts';
import {
  startTestApp,
  startWorkspace,
  type Answer,
  type TestApp,
} from '../../../../test/support/test-app.ts';
import { makeKey } from '../../../../test/support/workspaces.ts';
import { createLinks } from '../creation/link-create.ts';
import { createUrlRules } from '../addresses/link-url.ts';
import { createQuotas } from '../../../core/workspaces/quota.ts';

let app: TestApp;
let home: Awaited<ReturnType<typeof startWorkspace>>;
beforeAll(async () => {
  app = await startTestApp();
  home = await startWorkspace(app);
});
afterAll(() => app.stop());

const url = 'https://example.com/';
const call = (path: string, body?: unknown, method?: string, headers = {}) =>
  app.call(path, { key: home.key, body, method, headers });

/** The entries that a call left. */
async function getEntries(answer: Answer) {
  const { rows } = await app.database.pool.query(
    'select action, actor_id, target_id, target_name, details from audit_log where request_id = $1',
    [answer.headers.get('fairlead-request-id')],
  );
  return rows;
}

describe('creating a link', () => {
  test('leaves one entry, also where many share a transaction', async () => {
    const other = await makeKey(home, { scopes: ['links:write'] });
    const { body: me } = await app.call('/me', { key: other });
    const { body: own } = await call('/me');
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, nth) =>
        app.call('/links', {
          key: nth % 2 ? other : home.key,
          body: { url, ...(nth < 10 ? { slug: 'same' } : {}) },
        }),
      ),
    );
    const created = answers.filter(({ status }) => status === 201);
    expect(created).toHaveLength(21);
    for (const [nth, answer] of answers.entries()) {
      const entry = {
        action: 'links.create',
        actor_id: (nth % 2 ? me : own).id,
        target_id: answer.body.id,
        target_name: answer.body.short_url,
        details: {},
      };
      expect(await getEntries(answer)).toEqual(answer.status === 201 ? [entry] : []);
    }
  });

  test('leaves one with an Idempotency-Key, and none where the link was there', async () => {
    const send = () => call('/links', { url: `${url}once` }, 'POST', { 'idempotency-key': 'once' });
    const [first, replay] = [await send(), await send()];
    expect(await getEntries(first)).toMatchObject([{ action: 'links.create', target_id: first.body.id }]);
    expect(await getEntries(replay)).toEqual([]);
    const found = await call('/links', { url: `${url}once`, find_if_exists: true });
    expect([found.status, found.body.id]).toEqual([200, first.body.id]);
    expect(await getEntries(found)).toEqual([]);
  });

  test('sends as many statements with an entry as without', async () => {
    const workspaceId = newUuid();
    const { pool, db } = app.database;
    await pool.query("insert into workspaces (id, name, slug) values ($1, 'Counted', 'counted')", [
      workspaceId,
    ]);
    let statements = 0;
    const counted = db.withPlugin({
      transformQuery({ node }) {
        statements += 1;
        return node;
      },
      transformResult: async ({ result }) => result,
    });
    const units = createUnits({
      db: counted,
      events: createEventWriter(() => {}),
      jobs: { enqueue: async () => {} },
    });
    const deps = {
      units,
      quotas: createQuotas({}),
      baseUrl: 'http://localhost',
      urlRules: createUrlRules({ baseUrl: 'http://localhost', schemes: ['https'] }),
      hasher: { hash: async () => '' },
      getPerson: async (id: string) => id,
      linksDeleted: async () => {},
    };
    const actor = { kind: 'api_key', id: publicId('api_key', newUuid()), name: 'k' } as KeyActor;
    const audit: AuditOrigin = {
      workspaceId,
      action: 'links.create',
      actor,
      targetType: 'link',
      ip: '127.0.0.1',
      requestId: 'req_1',
    };
    const countStatements = async (request: { audit?: AuditOrigin }): Promise<number> => {
      statements = 0;
      const body = { url };
      await units.write((unit) =>
        createLinks(unit, deps, workspaceId, [{ actorId: actor.id, body, ...request }]),
      );
      return statements;
    };
    const [without, withEntry] = [await countStatements({}), await countStatements({ audit })];
    expect(without).toBeGreaterThan(0);
    expect(withEntry).toBe(without);
    const { rows } = await pool.query('select action from audit_log where workspace_id = $1', [workspaceId]);
    expect(rows).toEqual([{ action: 'links.create' }]);
  });
});

test('a change says what changed; one that changes nothing leaves no entry', async () => {
  const { body: link } = await call('/links', { url, external_id: 'audited' });
  const change = (body: object) => call(`/links/${link.id}`, body, 'PATCH');
  expect(await getEntries(await change({ title: 'Secret' }))).toMatchObject([
    {
      action: 'links.update',
      target_id: link.id,
      target_name: link.short_url,
      details: { changed: ['title'] },
    },
  ]);
  expect(await getEntries(await change({ title: 'Secret' }))).toEqual([]);
  const upsert = (body: object) => call('/links/upsert', { url, external_id: 'audited', ...body }, 'PUT');
  expect(await getEntries(await upsert({}))).toEqual([]);
  expect(await getEntries(await upsert({ title: 'Other' }))).toMatchObject([{ action: 'links.upsert' }]);
});

test('a bulk call leaves one entry for all', async () => {
  const created = await call('/links/bulk', { links: [{ url }, { url: 'nonsense' }, { url }] });
  const ids = created.body.results.flatMap(({ link }: { link: { id: string } | null }) => link?.id ?? []);
  expect(await getEntries(created)).toEqual([
    {
      action: 'links.create_bulk',
      actor_id: expect.any(String),
      target_id: null,
      target_name: null,
      details: { count: 2, ids },
    },
  ]);
  const changed = await call('/links/bulk', { ids, archived: true }, 'PATCH');
  expect(await getEntries(changed)).toMatchObject([
    { action: 'links.update_bulk', details: { count: 2, ids, changed: ['archived'] } },
  ]);
});
