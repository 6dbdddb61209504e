/** Tests groups over HTTP: listing, reading, local changes, and erasing or merging. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { PATIENCE } from '../../../../test/support/patience.ts';
import { newUuid } from '../../../platform/http/ids.ts';
import { publicId, toUuid } from '../../../core/vocabulary/ids.ts';
import { startTestApp, startWorkspace, type TestApp } from '../../../../test/support/test-app.ts';
import { getEvents } from '../../../../test/support/workspaces.ts';

let app: TestApp;
let home: Awaited<ReturnType<typeof startWorkspace>>;
let other: Awaited<ReturnType<typeof startWorkspace>>;
let box: string;
beforeAll(async () => {
  app = await startTestApp();
  home = await startWorkspace(app);
  other = await startWorkspace(app);
  box = await makeInstance('Groups');
});
afterAll(() => app.stop());

const call = (path: string, body?: unknown, method?: string, headers?: Record<string, string>) =>
  app.call(path, { key: home.key, body, method, headers });
const query = async (text: string, values: unknown[] = []) =>
  (await app.database.pool.query(text, values)).rows;
const workspaceId = () => toUuid('workspace', home.workspace)!;
let made = 0;
const someone = (): string => `person-${++made}`;

async function makeInstance(name: string): Promise<string> {
  return (await call('/instances', { name, channel: 'sandbox' })).body.id;
}

interface Laid {
  instance?: string;
  subject?: string;
  membership?: string;
  /** Role by address. */
  people?: Record<string, string>;
}

/** Stores a group as reported by the channel. @returns its public ID */
async function lay({ instance = box, subject = 'Team', membership = 'joined', people = {} }: Laid = {}) {
  const [id, chat] = [newUuid(), newUuid()];
  const own = [workspaceId(), toUuid('instance', instance)];
  await query(
    `insert into chats (workspace_id, instance_id, id, kind, key, address, title, created_at, updated_at)
     values ($1, $2, $3, 'group', $4, $4, $5, now(), now())`,
    [...own, chat, `key-${id}`, subject],
  );
  await query(
    `insert into groups (workspace_id, instance_id, id, key, chat_id, subject, membership, participants, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, now(), now())`,
    [...own, id, `key-${id}`, chat, subject, membership, Object.keys(people).length],
  );
  await query(
    `insert into group_participants (workspace_id, instance_id, group_id, address, role, name, created_at)
     select $1, $2, $3, a, r, 'called ' || a, now() from unnest($4::text[], $5::text[]) p (a, r)`,
    [...own, id, Object.keys(people), Object.values(people)],
  );
  return publicId('group', id);
}

const getIds = ({ body }: { body: { data: { id: string }[] } }) => body.data.map(({ id }) => id);

describe('GET /groups', () => {
  test('pages through all, newest first, and applies each filter', async () => {
    const instance = await makeInstance('Lists');
    const [alice, bob] = [someone(), someone()];
    const contact = (
      await call('/contacts', { name: 'Alice', identities: [{ instance_id: instance, address: alice }] })
    ).body.id;
    const first = await lay({
      instance,
      subject: 'Spring 100%',
      people: { [alice]: 'owner', [bob]: 'member' },
    });
    const second = await lay({
      instance,
      subject: 'Summer',
      membership: 'left',
      people: { [alice]: 'member' },
    });
    const third = await lay({ instance, subject: 'Autumn', people: { [bob]: 'member' } });
    const of = (filter: string) => call(`/groups?instance_id=${instance}${filter}`);
    expect(getIds(await of(''))).toEqual([third, second, first]);
    const page = (await of('&limit=2')).body;
    expect(page).toMatchObject({ has_more: true });
    expect(getIds(await of(`&limit=2&cursor=${page.next_cursor}`))).toEqual([first]);
    expect(getIds(await of('&membership=left'))).toEqual([second]);
    expect(getIds(await of('&search=SUMM'))).toEqual([second]);
    expect(getIds(await of('&q=100%25'))).toEqual([first]);
    expect(getIds(await of('&q=0%25x'))).toEqual([]);
    expect(getIds(await of('&q=summ'))).toEqual([second]);
    expect(getIds(await of(`&address=${alice}`))).toEqual([second, first]);
    expect(getIds(await call(`/groups?contact_id=${contact}`))).toEqual([second, first]);
    expect(getIds(await call(`/groups?contact_id=${contact}&membership=joined&q=spr`))).toEqual([first]);
    expect(getIds(await call(`/groups?contact_id=${contact}&limit=1`))).toEqual([second]);
    expect(getIds(await call(`/groups?contact_id=${publicId('contact', newUuid())}`))).toEqual([]);
    expect(getIds(await of('&created_after=2999-01-01T00:00:00Z'))).toEqual([]);
    expect(await call(`/groups?address=${alice}`)).toHaveStatus(400);
    expect(await of(`&address=${alice}&contact_id=${contact}`)).toHaveStatus(400);
  });

  test('continues after a window without matches', async () => {
    const instance = await makeInstance('Window');
    const wanted = await lay({ instance, subject: 'Needle' });
    await query(
      `insert into groups (workspace_id, instance_id, id, key, chat_id, subject, membership, created_at, updated_at)
       select $1, $2, ('ffffffff-ffff-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 'w' || n, gen_random_uuid(), 'Hay',
         'joined', now(), now() from generate_series(1, 5001) n`,
      [workspaceId(), toUuid('instance', instance)],
    );
    const { body } = await call(`/groups?instance_id=${instance}&q=needle`);
    expect(body).toMatchObject({ data: [], has_more: true });
    const next = await call(`/groups?instance_id=${instance}&q=needle&cursor=${body.next_cursor}`);
    expect(getIds(next)).toEqual([wanted]);
    expect(next.body.has_more).toBe(false);
    await query(`delete from groups where subject = 'Hay'`);
  });
});

describe('GET /groups/{id}', () => {
  test('shows the first hundred and names contacts; the rest is paged', async () => {
    const address = someone();
    const contact = (await call('/contacts', { name: 'Zoe', identities: [{ instance_id: box, address }] }))
      .body.id;
    const crowd = Object.fromEntries(Array.from({ length: 150 }, (_, n) => [`crowd-${1000 + n}`, 'member']));
    const id = await lay({ people: { ...crowd, boss: 'admin', [address]: 'owner' } });
    const { body, headers } = await call(`/groups/${id}`);
    expect(body).toMatchObject({
      object: 'group',
      participants_count: 152,
      owner: { contact_id: contact, address, name: 'Zoe', role: 'owner' },
      role: null,
    });
    expect(body.participants).toHaveLength(100);
    expect(body.participants[1]).toEqual({
      contact_id: null,
      address: 'boss',
      name: 'called boss',
      role: 'admin',
    });
    expect(headers.get('etag')).toMatch(/1/);
    const seen: string[] = [];
    for (let cursor = ''; ;) {
      const page = (await call(`/groups/${id}/participants?limit=60${cursor}`)).body;
      seen.push(...page.data.map((one: { address: string }) => one.address));
      if (!page.has_more) break;
      cursor = `&cursor=${page.next_cursor}`;
    }
    expect(seen).toEqual([address, 'boss', ...Object.keys(crowd)]);
    const admins = (await call(`/groups/${id}/participants?role=admin`)).body.data;
    expect(admins).toMatchObject([{ address: 'boss' }]);
    expect((await call(`/groups/${id}/participants?cursor=bm9uZQ`)).body.code).toBe('invalid_cursor');
  });

  test('does not return groups of other workspaces', async () => {
    const id = await lay();
    for (const path of [`/groups/${id}`, `/groups/${id}/participants`, `/groups/${id}/invite`])
      expect(await app.call(path, { key: other.key })).toHaveStatus(404);
    const patched = await app.call(`/groups/${id}`, {
      key: other.key,
      body: { metadata: {} },
      method: 'PATCH',
    });
    expect(patched).toHaveStatus(404);
    expect(await app.call(`/groups/${id}/leave`, { key: other.key, method: 'POST' })).toHaveStatus(404);
  });
});

describe('PATCH /groups/{id}', () => {
  test('changes metadata immediately, with a completed job', async () => {
    const id = await lay();
    const answer = await call(`/groups/${id}`, { metadata: { team: 'a' } }, 'PATCH', { 'if-match': '"1"' });
    expect(answer).toMatchObject({
      status: 202,
      body: {
        type: 'groups.update',
        state: 'succeeded',
        result: { group: { id, metadata: { team: 'a' } } },
      },
    });
    const stale = await call(`/groups/${id}`, { metadata: {} }, 'PATCH', { 'if-match': '"1"' });
    expect(stale).toHaveStatus(412);
    const events = await getEvents(app, workspaceId());
    expect(events.filter(({ type }) => type === 'group.updated')).toMatchObject([
      { data: { object: { id }, previous_attributes: { metadata: {} }, by: null } },
    ]);
  });

  test('is rejected while the instance is disconnected, and if the account has left the group', async () => {
    const id = await lay();
    expect(await call(`/groups/${id}`, { subject: 'Other' }, 'PATCH')).toMatchObject({
      status: 422,
      body: { code: 'instance_disconnected' },
    });
    expect((await call('/groups', { instance_id: box, subject: 'New' })).body.code).toBe(
      'instance_disconnected',
    );
    const left = await lay({ membership: 'left' });
    expect(['unsupported_by_channel', 'not_in_group']).toContain(
      (await call(`/groups/${left}/invite`)).body.code,
    );
  });
});

describe('erasing and merging', () => {
  test('an erased contact has no name in groups, and is removed from groups that the account has left', async () => {
    const address = someone();
    const body = { name: 'Erased Person', identities: [{ instance_id: box, address }] };
    const contact = (await call('/contacts', body)).body.id;
    const joined = await lay({ people: { [address]: 'member', stays: 'owner' } });
    const left = await lay({ membership: 'left', people: { [address]: 'member', stays: 'owner' } });
    expect(await call(`/contacts/${contact}`, undefined, 'DELETE')).toHaveStatus(204);
    await vi.waitFor(async () => {
      expect((await call(`/groups/${left}`)).body).toMatchObject({
        participants_count: 1,
        participants: [{ address: 'stays' }],
      });
      expect((await call(`/groups/${joined}`)).body).toMatchObject({
        participants_count: 2,
        participants: [
          { address: 'stays', name: 'called stays' },
          { address, name: null, contact_id: null },
        ],
      });
    }, PATIENCE);
  });

  test('a merged contact is shown as the survivor', async () => {
    const [one, two] = [someone(), someone()];
    const [into, gone] = await Promise.all(
      [one, two].map(
        async (address) =>
          (await call('/contacts', { name: address, identities: [{ instance_id: box, address }] })).body.id,
      ),
    );
    const id = await lay({ people: { [two]: 'member' } });
    expect(await call(`/contacts/${into}/merge`, { contact_id: gone })).toHaveStatus(200);
    expect((await call(`/groups/${id}`)).body.participants).toMatchObject([
      { address: two, contact_id: into, name: one },
    ]);
    expect(getIds(await call(`/groups?contact_id=${gone}`))).toEqual([id]);
  });

  test('a deleted instance leaves no groups and no pending jobs', async () => {
    const instance = await makeInstance('Doomed');
    const id = await lay({ instance, people: { alice: 'member' } });
    await query(`update instances set state = 'reconnecting' where id = $1`, [toUuid('instance', instance)]);
    const asked = await call(`/groups/${id}/refresh`, undefined, 'POST');
    expect(asked).toHaveStatus(202);
    expect(await call(`/instances/${instance}`, undefined, 'DELETE')).toHaveStatus(204);
    await vi.waitFor(async () => {
      expect(await call(`/groups/${id}`)).toHaveStatus(404);
      const people = await query('select 1 from group_participants where instance_id = $1', [
        toUuid('instance', instance),
      ]);
      expect(people).toEqual([]);
    }, PATIENCE);
    expect((await call(`/jobs/${asked.body.id}`)).body).toMatchObject({
      state: 'failed',
      error: { code: 'instance_deleted' },
    });
  });
});
