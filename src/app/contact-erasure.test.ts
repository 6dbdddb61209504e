import pg from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { PATIENCE } from '../../test/support/patience.ts';
import { createSecretBox } from '../platform/crypto/secret-box.ts';
import { eraseContactData, eraseRemainingContacts, type ContactErasureDeps } from './contact-erasure.ts';
import { testServer } from '../../test/support/db.ts';
import { createUnits, type Units } from '../core/unit/unit-of-work.ts';
import { getErasure } from '../core/events/erasure/erasure.store.ts';
import { createTurn, performSteps, UNSHARED } from '../platform/jobs/turn.ts';
import { walkLog } from '../core/events/erasure/log-walk.ts';
import type { ErasedPerson } from '../core/events/erasure/person.ts';
import { getBucket } from '../core/unit/event-writer.ts';
import { newUuid } from '../platform/http/ids.ts';
import { publicId, toUuid } from '../core/vocabulary/ids.ts';
import { deleteUnopenedHeads } from '../ops/secret-rotation/unopened-heads.ts';
import { connectionName } from '../ops/secret-rotation/serving.ts';
import { startTestApp, startWorkspace, TEST_SECRET, type TestApp } from '../../test/support/test-app.ts';
import { eraseDeliveriesFor } from '../core/webhooks/delivery-erasure.ts';
import { openHead, sealHead } from '../core/webhooks/inspector-request.service.ts';

let app: TestApp;
let home: Awaited<ReturnType<typeof startWorkspace>>;
let workspaceId: string;

beforeAll(async () => {
  app = await startTestApp();
  home = await startWorkspace(app);
  workspaceId = toUuid('workspace', home.workspace)!;
});
afterAll(() => app.stop());

const call = (path: string, body?: unknown, method?: string) =>
  app.call(path, { key: home.key, body, method });
const query = async (text: string, values: unknown[] = []) =>
  (await app.database.pool.query(text, values)).rows;
const hurry = () =>
  query(
    `update pgboss.job set start_after = now() where name = 'contacts.forget' and state in ('created', 'retry')`,
  );

async function box(): Promise<string> {
  const { id } = (
    await call('/instances', { name: `Box ${newUuid()}`, channel: 'sandbox', settings: { replies: false } })
  ).body;
  await call(`/instances/${id}/connect`, undefined, 'POST');
  await vi.waitFor(
    async () => expect((await call(`/instances/${id}`)).body.state).toBe('connected'),
    PATIENCE,
  );
  return id;
}
const write = async (instance: string, to: string, body = 'words') =>
  (await call('/messages', { instance_id: instance, to, type: 'text', text: { body } })).body;
const erase = async (id: string): Promise<string> => {
  expect(await call(`/contacts/${id}`, undefined, 'DELETE')).toHaveStatus(204);
  const [erasure] = await query('select id from contact_erasures where $1 = any(contact_ids)', [
    toUuid('contact', id),
  ]);
  return erasure.id;
};
const looked = (erasure: string, looks: number) =>
  vi.waitFor(
    async () =>
      expect(await query('select looks from contact_erasures where id = $1', [erasure])).toEqual([{ looks }]),
    PATIENCE,
  );
const done = (erasure: string) =>
  vi.waitFor(
    async () => expect(await query('select from contact_erasures where id = $1', [erasure])).toEqual([]),
    PATIENCE,
  );

test('what is written late of an erased contact goes with the second look, and its address may be somebody new', async () => {
  const instance = await box();
  const { contact_id: contact } = await write(instance, 'leaving');
  const erasure = await erase(contact);
  await looked(erasure, 1);
  // As a loader of clicks would that had read the link just before.
  const late = newUuid();
  await query(
    `insert into outbox (bucket, workspace_id, event_id, type, resource_id, data) values ($1, $2, $3, 'link.clicked', 'lnk_x', $4)`,
    [
      getBucket(workspaceId),
      workspaceId,
      late,
      JSON.stringify({
        object: { id: 'lnk_x', object: 'link', contact_id: contact },
        click: { city: 'Köln' },
      }),
    ],
  );
  const again = await write(instance, 'leaving', 'somebody new');
  expect(again.contact_id).not.toBe(contact);
  await hurry();
  await done(erasure);
  expect((await call(`/events/${publicId('event', late)}`)).body.data).toEqual({
    object: { id: 'lnk_x', object: 'link', erased: true },
  });
  const told = (await call(`/events?resource_id=${again.id}`)).body.data;
  expect(told.at(-1).data.object).toMatchObject({ to: 'leaving', text: { body: 'somebody new' } });
  expect((await call(`/messages/${again.id}`)).body.text.body).toBe('somebody new');
  expect(await query('select from erased_events')).toEqual([]);
});

test('a delivery that waits for an emptied event is canceled, also when it is sent again; contact.deleted arrives', async () => {
  const instance = await box();
  const { body: inspector } = await call('/inspectors', { name: 'down', answer: { status: 500 } });
  const { body: webhook } = await call('/webhooks', {
    url: inspector.url,
    events: ['message.queued', 'contact.deleted'],
  });
  const { id, contact_id: contact } = await write(instance, 'unheard');
  const getDelivery = async (type: string) =>
    (await call(`/webhooks/${webhook.id}/deliveries?event_type=${type}`)).body.data[0];
  await vi.waitFor(async () => expect((await getDelivery('message.queued')).attempt_count).toBe(1), PATIENCE);
  const erasure = await erase(contact);
  await looked(erasure, 1);
  await call(`/inspectors/${inspector.id}`, { answer: { status: 200 } }, 'PATCH');
  const { id: delivery } = await getDelivery('message.queued');
  await call(`/deliveries/${delivery}/retry`, undefined, 'POST');
  await vi.waitFor(
    async () =>
      expect((await call(`/deliveries/${delivery}`)).body).toMatchObject({
        status: 'canceled',
        reason: 'event_erased',
      }),
    PATIENCE,
  );
  await call(`/deliveries/${(await getDelivery('contact.deleted')).id}/retry`, undefined, 'POST');
  await vi.waitFor(
    async () => expect((await getDelivery('contact.deleted')).status).toBe('succeeded'),
    PATIENCE,
  );
  const { data } = (await call(`/inspectors/${inspector.id}/requests`)).body;
  expect(data.map((one: { event_type: string }) => one.event_type)).not.toContain('message.queued');
  expect(await call(`/messages/${id}`)).toHaveStatus(404);
  await hurry();
  await done(erasure);
});

/** Creates a log with this many events about a contact, and an erasure that is not executed. */
async function walked(
  name: string,
  count: number,
): Promise<{ erasureId: string; left: () => Promise<number> }> {
  const { body: contact } = await call('/contacts', { name });
  const about = JSON.stringify({ object: { id: contact.id, object: 'contact', name } });
  await vi.waitFor(async () => expect(await query('select from outbox')).toEqual([]), PATIENCE);
  const [{ last_sequence: before }] = await query(
    'select last_sequence from workspace_sequences where workspace_id = $1',
    [workspaceId],
  );
  const first = Number(before);
  await query(
    `insert into events (id, workspace_id, sequence, type, data, created_at)
     select gen_random_uuid(), $1, $2::bigint + n, 'contact.updated', $3, now() from generate_series(1, $4::int) n`,
    [workspaceId, first, about, count],
  );
  await query('update workspace_sequences set last_sequence = $2 where workspace_id = $1', [
    workspaceId,
    first + count,
  ]);
  const erasureId = newUuid();
  await query(
    `insert into contact_erasures (workspace_id, id, contact_ids, chat_ids, identities, event_id, created_at)
     values ($1, $2, array[$3::uuid], '{}', '[]', $4, now())`,
    [workspaceId, erasureId, toUuid('contact', contact.id), newUuid()],
  );
  const left = async (): Promise<number> =>
    (
      await query(
        `select count(*)::int as n from events where workspace_id = $1 and data::text like '%' || $2 || '%'`,
        [workspaceId, name],
      )
    )[0].n;
  return { erasureId, left };
}
/** Does something before the nth transaction. */
const beforeWrite = (nth: number, work: () => unknown): Units => {
  const units = createUnits({ db: app.database.db, events: null as never, jobs: null as never });
  let at = 0;
  return {
    ...units,
    async write(inside, check) {
      if (++at === nth) await work();
      return units.write(inside, check);
    },
  };
};

test('a walk that is stopped goes on behind what it has done', async () => {
  const { db } = app.database;
  const { erasureId, left } = await walked('Walked', 9000);
  // Killed after two windows: only committed data survives a dead process.
  const stop = new AbortController();
  const stopping = beforeWrite(2, () => stop.abort());
  await expect(
    walkLog(
      stopping,
      (await getErasure(db, workspaceId, erasureId))!,
      createTurn(stop.signal, async () => false),
    ),
  ).rejects.toThrow('aborted');
  const halfway = await left();
  expect(halfway).toBeGreaterThan(0);
  expect(halfway).toBeLessThan(9000);
  const { walkedThrough } = (await getErasure(db, workspaceId, erasureId))!;
  expect(walkedThrough).toBe(4000);
  await walkLog(
    beforeWrite(0, () => {}),
    (await getErasure(db, workspaceId, erasureId))!,
  );
  expect(await left()).toBe(0);
  await query('delete from contact_erasures where id = $1', [erasureId]);
  await query('delete from erased_events');
});

test('a walk whose erasure is gone, as with its workspace, notes nothing more', async () => {
  const { erasureId } = await walked('Vanishing', 5000);
  const erasure = (await getErasure(app.database.db, workspaceId, erasureId))!;
  const losing = beforeWrite(2, async () => {
    await query('delete from erased_events');
    await query('delete from contact_erasures where id = $1', [erasureId]);
  });
  await walkLog(losing, erasure);
  expect(await query('select from erased_events')).toEqual([]);
});

test('one that fails again and again keeps no other waiting; nor is any begun of a workspace that is deleted', async () => {
  const { db } = app.database;
  const [doomed, fine, damaged] = [newUuid(), newUuid(), newUuid()];
  const gone = await startWorkspace(app);
  const lay = (workspace: string, id: string, hoursAgo: number, identities: string) =>
    query(
      `insert into contact_erasures (workspace_id, id, contact_ids, chat_ids, identities, event_id, created_at, looks)
       values ($1, $2, array[$3::uuid], '{}', $4, $3, now() - $5 * interval '1 hour', 1)`,
      [workspace, id, newUuid(), identities, hoursAgo],
    );
  await lay(workspaceId, damaged, 4, '{}');
  await lay(workspaceId, fine, 3, '[]');
  const goneId = toUuid('workspace', gone.workspace)!;
  await lay(goneId, doomed, 2, '[]');
  const touched: string[] = [];
  const note = ({ erasureId }: ErasedPerson) => {
    touched.push(erasureId);
    return [];
  };
  const deps: ContactErasureDeps = {
    db,
    units: beforeWrite(0, () => {}),
    secrets: createSecretBox(TEST_SECRET),
    surfaces: [{ eraseContact: note }],
  };
  await query('update workspaces set deleted_at = now() where id = $1', [goneId]);
  await eraseContactData(deps, { workspaceId: goneId, erasureId: doomed });
  await expect(eraseRemainingContacts(deps, new Date())).rejects.toThrow('1 failed, the others are done');
  expect(touched).toEqual([damaged, fine]);
  expect(
    await query('select id from contact_erasures where id = any($1)', [[damaged, fine, doomed]]),
  ).toEqual(expect.arrayContaining([{ id: damaged }, { id: doomed }]));
  expect(await query('select from contact_erasures where id = $1', [fine])).toEqual([]);
  await query('delete from contact_erasures');
});

const MAIL = 'ann+tag@shop.example';
/** The same address as others write it. */
const OTHERS = [
  'ann%2Btag%40shop.example',
  'ann+tag&#64;shop.example',
  String.raw`ann\u002btag@shop.example`,
  'ann%252Btag%2540shop.example',
];
/** Belongs to another person. */
const NOT = 'bob%2Btag%40shop.example';

test('what inspectors and endpoints received goes where it names the contact in another writing', async () => {
  const instance = await box();
  const { contact_id: contact } = await write(instance, MAIL);
  const { body: inspector } = await call('/inspectors', {});
  const at = (url: string): string => app.base + new URL(url).pathname;
  const send = (url: string, body: string, headers: Record<string, string> = {}) =>
    fetch(url, { method: 'POST', body, headers });
  for (const one of [...OTHERS, NOT]) {
    if (!one.includes('#')) await send(`${at(inspector.url)}?u=${one}`, 'x');
    await send(at(inspector.url), 'x', { 'x-from': one });
    await send(at(inspector.url), `{"text":"write to ${one}"}`);
  }
  const { body: endpoint } = await call('/publishing-endpoints', {
    name: 'Door',
    auth: { type: 'secret_url' },
    destinations: [{ instance_id: instance, to: 'bob', template: 'Came' }],
  });
  const texts = [...OTHERS, NOT];
  for (const text of texts)
    expect(
      (await send(at(endpoint.url), JSON.stringify({ text }), { 'content-type': 'application/json' })).status,
    ).toBeLessThan(300);
  const erasure = await erase(contact);
  await looked(erasure, 1);
  const secrets = createSecretBox(TEST_SECRET);
  const rest = (
    await query(
      'select id, head_sealed, body from inspector_requests where inspector_id = $1 order by number',
      [toUuid('inspector', inspector.id)],
    )
  ).map(({ id, head_sealed, body }) => {
    const { query: asked, headers } = openHead(secrets, workspaceId, id, head_sealed);
    return [asked, headers.find(([name]) => name === 'x-from')?.[1], body.toString()];
  });
  expect(rest).toEqual([
    [`u=${NOT}`, undefined, 'x'],
    [null, NOT, 'x'],
    [null, undefined, `{"text":"write to ${NOT}"}`],
  ]);
  const inputs = await query('select payload, erased from publication_inputs where workspace_id = $1', [
    workspaceId,
  ]);
  expect(inputs.filter(({ erased }) => !erased)).toEqual([{ payload: { text: NOT }, erased: false }]);
  expect(inputs).toHaveLength(texts.length);
  await hurry();
  await done(erasure);
});

test('a request whose head no secret opens stops no erasure: it goes, unless another server opens it', async () => {
  const { body: inspector } = await call('/inspectors', {});
  const url = app.base + new URL(inspector.url).pathname;
  for (const body of ['readable', 'lost', 'damaged']) await fetch(url, { method: 'POST', body });
  const id = toUuid('inspector', inspector.id);
  const lost = createSecretBox('a secret that nobody has any more, 32 long');
  const change = (body: string, sealed: (request: string) => string) =>
    query('select id from inspector_requests where inspector_id = $1 and body = $2', [
      id,
      Buffer.from(body),
    ]).then(([{ id: request }]) =>
      query('update inspector_requests set head_sealed = $2 where id = $1', [request, sealed(request)]),
    );
  const head = { query: null, headers: [] };
  await change('lost', (request) => sealHead(lost, workspaceId, request, head));
  await change('damaged', () => sealHead(createSecretBox(TEST_SECRET), workspaceId, newUuid(), head));
  const left = async () =>
    (await query('select body from inspector_requests where inspector_id = $1 order by number', [id])).map(
      ({ body }) => body.toString(),
    );
  const secrets = createSecretBox(TEST_SECRET);
  const nobody: ErasedPerson = {
    workspaceId,
    erasureId: newUuid(),
    contactIds: [],
    chatIds: [],
    identities: [],
    erasedAt: new Date(),
  };
  const { db } = app.database;
  const erasing = () =>
    performSteps(
      eraseDeliveriesFor(
        { db, secrets, deleteUnopened: (...heads) => deleteUnopenedHeads({ db, secrets }, ...heads) },
        nobody,
        UNSHARED,
      ),
    );

  const other = new pg.Client({ ...testServer(app.database.name), application_name: connectionName(lost) });
  await other.connect();
  await expect(erasing()).rejects.toThrow(`a secret that is missing here (key ${lost.keyIds[0]})`);
  expect(await left()).toEqual(['readable', 'lost', 'damaged']);
  await other.end();
  await vi.waitFor(erasing, PATIENCE);
  expect(await left()).toEqual(['readable']);

  await change('readable', (request) => sealHead(createSecretBox(TEST_SECRET), workspaceId, request, head));
  expect(await left()).toEqual(['readable']);
  await fetch(url, { method: 'POST', body: 'lost' });
  await change('lost', (request) => sealHead(lost, workspaceId, request, head));
  const { contact_id: contact } = await write(await box(), 'somebody');
  const erasure = await erase(contact);
  await looked(erasure, 1);
  expect(await left()).toEqual(['readable']);
  await hurry();
  await done(erasure);
});
