import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dropExpired } from '../../../platform/db/partitions.ts';
import { firstUuidAt } from '../../../platform/db/uuid-time.ts';
import { publicId, toUuid } from '../../vocabulary/ids.ts';
import { startTestApp, startWorkspace, type TestApp } from '../../../../test/support/test-app.ts';
import { EVENT_TYPES } from '../../vocabulary/event-catalog.ts';
import { LIVE_TYPES } from '../../vocabulary/live-catalog.ts';
import { eventPartitions } from '../event-retention.ts';
import { unitsFor, until, writeEvent } from '../../../../test/support/events/outbox.ts';

let app: TestApp;
let home: Awaited<ReturnType<typeof startWorkspace>>;

const get = (path: string, key = home.key) => app.call(path, { key });
const getTypes = (answer: { body: { data: { type: string }[] } }): string[] =>
  answer.body.data.map(({ type }) => type);
const getSequences = (answer: { body: { data: { sequence: number }[] } }): number[] =>
  answer.body.data.map(({ sequence }) => sequence);

const keyWith = async (scopes: string[]): Promise<string> => {
  const answer = await home.owner.call('/api-keys', {
    workspace: home.workspace,
    body: { name: scopes.join(), scopes },
  });
  return answer.body.secret;
};

/** Waits until all that was written is in the log. */
const settle = () =>
  until(async () => (await app.database.pool.query('select from outbox limit 1')).rowCount === 0);

/** Writes events of a workspace of its own, so that other tests don't disturb. */
async function newLog(
  count: number,
): Promise<{ key: string; workspaceId: string; marks: string[]; first: number }> {
  const other = await startWorkspace(app);
  const workspaceId = toUuid('workspace', other.workspace)!;
  await settle();
  const { rows } = await app.database.pool.query(
    'select last_sequence from workspace_sequences where workspace_id = $1',
    [workspaceId],
  );
  const marks: string[] = [];
  for (let n = 0; n < count; n++) marks.push(await writeEvent(unitsFor(app.database.db), workspaceId));
  await settle();
  return { key: other.key, workspaceId, marks, first: rows[0].last_sequence + 1 };
}

beforeAll(async () => {
  app = await startTestApp();
  home = await startWorkspace(app);
  await settle();
});
afterAll(() => app.stop());

describe('GET /events', () => {
  it('tells what happened, newest first', async () => {
    const answer = await get('/events');
    expect(answer).toHaveStatus(200);
    expect(getTypes(answer).slice(-3)).toEqual(['api_key.created', 'member.added', 'workspace.created']);
    expect(answer.body).toMatchObject({ object: 'list', has_more: false, next_cursor: null });
    const event = answer.body.data.find(({ type }: { type: string }) => type === 'api_key.created');
    expect(event).toEqual({
      id: expect.stringMatching(/^evt_[0-9a-z]{26}$/),
      object: 'event',
      type: 'api_key.created',
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      workspace_id: home.workspace,
      sequence: 3,
      api_version: 'v1',
      truncated: false,
      caused_by: null,
      data: { object: expect.objectContaining({ id: home.keyId, object: 'api_key', name: 'test' }) },
    });
    expect(JSON.stringify(answer.body)).not.toContain(home.key);
  });

  it('pages without doubles or holes, while events are added', async () => {
    const { key, workspaceId, first } = await newLog(7);
    const seen: number[] = [];
    let cursor = '';
    for (;;) {
      const answer = await get(`/events?limit=3${cursor}`, key);
      seen.push(...getSequences(answer));
      if (!answer.body.has_more) break;
      cursor = `&cursor=${answer.body.next_cursor}`;
      await writeEvent(unitsFor(app.database.db), workspaceId);
      await settle();
    }
    expect(seen).toEqual(Array.from({ length: first + 6 }, (_, n) => first + 6 - n));
  });

  it('answers in order behind a sequence, to the end and further', async () => {
    const { key, marks, first } = await newLog(5);
    const page = await get(`/events?after_sequence=${first - 1}&limit=3`, key);
    expect(getSequences(page)).toEqual([first, first + 1, first + 2]);
    expect(page.body.data.map((event: { data: { object: { id: string } } }) => event.data.object.id)).toEqual(
      marks.slice(0, 3),
    );
    const next = await get(
      `/events?after_sequence=${first - 1}&limit=3&cursor=${page.body.next_cursor}`,
      key,
    );
    expect(getSequences(next)).toEqual([first + 3, first + 4]);
    expect(next.body.has_more).toBe(false);
    expect(getSequences(await get(`/events?after_sequence=${first + 4}`, key))).toEqual([]);
    expect(getSequences(await get(`/events?after_sequence=900000`, key))).toEqual([]);
    expect(getSequences(await get('/events?after_sequence=0&limit=1', key))).toEqual([1]);
  });

  it('refuses a cursor of the other order, and one that is none', async () => {
    const { body } = await get('/events?limit=1');
    for (const query of [`after_sequence=0&cursor=${body.next_cursor}`, 'cursor=abc', 'cursor=MTp4'])
      expect(await get(`/events?${query}`)).toMatchObject({ status: 400, body: { code: 'invalid_cursor' } });
  });

  it('filters by type, pattern, object and time', async () => {
    const named = async (query: string): Promise<string[]> => [
      ...new Set(getTypes(await get(`/events?${query}`))),
    ];
    expect(await named('type=member.added')).toEqual(['member.added']);
    expect(await named('type=workspace.*,%20member.added')).toEqual(['member.added', 'workspace.created']);
    expect(await named('type=workspace.*&type=member.added')).toEqual(['member.added', 'workspace.created']);
    expect(await named('type=api_key.*&after_sequence=0')).toEqual(['api_key.created']);
    expect(await named('type=*')).toContain('workspace.created');
    expect(await named('type=ping')).toEqual([]);
    expect(await named(`resource_id=${home.keyId}`)).toEqual(['api_key.created']);
    expect(await named(`resource_id=${home.keyId}&type=member.*`)).toEqual([]);
    const [event] = (await get('/events?type=member.added')).body.data;
    const at = new Date(event.created_at).getTime();
    const iso = (shift: number): string => new Date(at + shift).toISOString();
    expect(await named(`type=member.added&created_after=${iso(-1)}&created_before=${iso(1)}`)).toEqual([
      'member.added',
    ]);
    expect(await named(`type=member.added&created_after=${iso(0)}`)).toEqual([]);
    expect(await named(`type=member.added&created_before=${iso(0)}`)).toEqual([]);
  });

  it('tells a type that there is not, and one that the caller may not see', async () => {
    const unknown = await get('/events?type=member.*,link.clickt');
    expect(unknown).toMatchObject({
      status: 400,
      body: { code: 'invalid_request', errors: [{ pointer: '?type', code: 'unknown_event_type' }] },
    });
    const hidden = await get('/events?type=api_key.created', await keyWith(['events:read', 'members:read']));
    expect(hidden).toMatchObject({ status: 403, body: { code: 'insufficient_scope' } });
    expect(hidden.body.detail).toContain('api_keys:read');
  });

  it('shows only what the scopes let see, with gaps; without events:read nothing', async () => {
    await settle();
    const some = await get('/events?after_sequence=0', await keyWith(['events:read', 'members:read']));
    expect(new Set(getTypes(some))).toEqual(new Set(['member.added']));
    expect(getSequences(some)).toEqual([2]);
    expect(await get('/events', await keyWith(['members:read']))).toMatchObject({
      status: 403,
      body: { code: 'insufficient_scope' },
    });
  });

  it('knows nothing of other workspaces', async () => {
    const { key, workspaceId } = await newLog(1);
    const answer = await get('/events', key);
    expect(
      answer.body.data.every(
        (event: { workspace_id: string }) => event.workspace_id === publicId('workspace', workspaceId),
      ),
    ).toBe(true);
    expect(await get(`/events/${answer.body.data[0].id}`)).toHaveStatus(404);
  });

  it('says 410 where events before are not kept any more, and goes on behind them', async () => {
    const { key, workspaceId, first } = await newLog(3);
    const old = firstUuidAt(new Date(Date.now() - 40 * 24 * 3600 * 1000));
    await app.database.pool.query('update events set id = $1 where workspace_id = $2 and sequence = $3', [
      old,
      workspaceId,
      first,
    ]);
    expect(await get(`/events?after_sequence=${first - 1}`, key)).toHaveStatus(200);
    await dropExpired(app.database.db, eventPartitions, new Date());
    expect(await get(`/events?after_sequence=${first - 1}`, key)).toMatchObject({
      status: 410,
      body: { code: 'sequence_expired' },
    });
    expect(await get(`/events/stream?after_sequence=${first - 1}`, key)).toHaveStatus(410);
    expect(getSequences(await get(`/events?after_sequence=${first}`, key))).toEqual([first + 1, first + 2]);
    expect(await get('/events', key)).toHaveStatus(200);
  });
});

describe('what an event holds', () => {
  it('is cut where it is over 256 KiB, and says so', async () => {
    const { key, workspaceId, first } = await newLog(1);
    await writeEvent(unitsFor(app.database.db), workspaceId, {
      more: { text: 'ü\0\ud83d'.repeat(200_000), name: 'kept' },
    });
    await settle();
    const [whole, cut] = (await get(`/events?after_sequence=${first - 1}`, key)).body.data;
    expect(whole.truncated).toBe(false);
    expect(cut.truncated).toBe(true);
    expect(cut.data.object).toMatchObject({ object: 'ping', name: 'kept' });
    expect(Buffer.byteLength(JSON.stringify(cut.data))).toBeLessThanOrEqual(256 * 1024);
  });
});

describe('GET /events/{id}', () => {
  it('answers the event, and 304 to who has it', async () => {
    const [event] = (await get('/events?limit=1')).body.data;
    const answer = await get(`/events/${event.id}`);
    expect(answer).toMatchObject({ status: 200, body: event });
    const again = await app.call(`/events/${event.id}`, {
      key: home.key,
      headers: { 'if-none-match': answer.headers.get('etag')! },
    });
    expect(again).toHaveStatus(304);
  });

  it('is 404 for one that is not there, not an ID, or not to be seen', async () => {
    const event = (await get('/events?type=api_key.created')).body.data[0];
    expect(await get('/events/evt_01h2xcejqtf2nbrexx3vqjhp41')).toHaveStatus(404);
    expect(await get('/events/nothing')).toHaveStatus(404);
    expect(await get(`/events/${event.id}`, await keyWith(['events:read']))).toHaveStatus(404);
  });
});

describe('event types', () => {
  it('are listed whole for any key', async () => {
    const answer = await get('/event-types', await keyWith(['models:read']));
    expect(answer).toHaveStatus(200);
    expect(answer.body.data.map(({ id }: { id: string }) => id)).toEqual([...EVENT_TYPES, ...LIVE_TYPES]);
    expect(answer.body.has_more).toBe(false);
  });

  it('are listed without schemas and samples on request', async () => {
    const whole = (await get('/event-types')).body.data;
    const { status, body } = await get('/event-types?details=false');
    expect(status).toBe(200);
    expect(body.data).toEqual(
      whole.map(({ schema, sample, ...listed }: { schema: object; sample: object }) => {
        expect([typeof schema, typeof sample]).toEqual(['object', 'object']);
        return listed;
      }),
    );
    expect(JSON.stringify(body).length).toBeLessThan(60 * 1024);
  });

  it('have a schema and a sample of the whole event', async () => {
    const { status, body } = await get('/event-types/api_key.updated');
    expect(status).toBe(200);
    expect(body).toMatchObject({ object: 'event_type', surface: 'getting_started', scope: 'api_keys:read' });
    expect(body.schema.required).toContain('data');
    expect(body.schema.properties.data.properties.object.properties.last4.type).toBe('string');
    expect(Object.keys(body.sample).toSorted()).toEqual(Object.keys(body.schema.properties).toSorted());
    expect(body.sample.data.previous_attributes).toEqual({ name: 'Staging site' });
  });

  it('are 404 where there is none', async () => {
    expect(await get('/event-types/nothing.happened')).toMatchObject({
      status: 404,
      body: { code: 'not_found' },
    });
    expect(await get('/event-types/toString')).toHaveStatus(404);
  });
});
