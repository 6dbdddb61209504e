import { request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { createInterface } from 'node:readline';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { WorkspaceActor } from '../../auth/actor.ts';
import type { Guard } from '../../auth/guard.ts';
import { newUuid } from '../../../platform/http/ids.ts';
import { toUuid } from '../../vocabulary/ids.ts';
import { endOpenAnswers } from '../../api/stream.ts';
import { startTestApp, startWorkspace, type TestApp } from '../../../../test/support/test-app.ts';
import type { EventType } from '../../vocabulary/event-catalog.ts';
import { getBucket } from '../../unit/event-writer.ts';
import { unitsFor, until, writeEvent } from '../../../../test/support/events/outbox.ts';
import { openSse, type SseReader } from '../../../../test/support/events/sse.ts';
import { streamEvents } from './event-stream.ts';
import { createLiveEvents } from './live-events.ts';
import { createLiveTail, type LiveTail } from './live-tail.ts';

let app: TestApp;
let home: Awaited<ReturnType<typeof startWorkspace>>;
let workspaceId: string;
const open: SseReader[] = [];

async function follow(query = '', options: { key?: string; lastEventId?: number } = {}): Promise<SseReader> {
  const reader = await openSse(`${app.base}/api/v1/events/stream${query}`, {
    authorization: `Bearer ${options.key ?? home.key}`,
    ...(options.lastEventId === undefined ? {} : { 'last-event-id': String(options.lastEventId) }),
  });
  open.push(reader);
  return reader;
}

const write = (type: EventType = 'ping', more: object = {}) =>
  writeEvent(unitsFor(app.database.db), workspaceId, { type, more });
const getIds = ({ events }: SseReader): (number | null)[] => events.map(({ id }) => id);
const getMarks = ({ events }: SseReader): string[] => events.map(({ data }) => data.data.object.id);
const last = async (): Promise<number> => {
  const { rows } = await app.database.pool.query(
    'select last_sequence from workspace_sequences where workspace_id = $1',
    [workspaceId],
  );
  return rows[0].last_sequence;
};
const settle = () =>
  until(async () => (await app.database.pool.query('select from outbox limit 1')).rowCount === 0);
setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;
const heapInUse = (): number => (collectGarbage(), process.memoryUsage().heapUsed);

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

beforeAll(async () => {
  app = await startTestApp();
  home = await startWorkspace(app);
  workspaceId = toUuid('workspace', home.workspace)!;
  await settle();
});
afterEach(() => {
  for (const reader of open.splice(0)) reader.close();
});
afterAll(() => app.stop());

describe('GET /events/stream', () => {
  it('begins with what comes from now on, each event with its sequence as ID', async () => {
    const reader = await follow();
    expect(reader).toHaveStatus(200);
    expect(reader.headers.get('content-type')).toMatch(/^text\/event-stream/);
    expect(reader.headers.get('fairlead-request-id')).toMatch(/^req_/);
    await until(() => reader.lastId() !== null);
    expect(reader.text()).toMatch(/^retry: \d+\n/);
    const before = await last();
    const marks = [await write(), await write()];
    await until(() => reader.events.length === 2);
    expect(getIds(reader)).toEqual([before + 1, before + 2]);
    expect(getMarks(reader)).toEqual(marks);
    const [event] = (await app.call('/events?limit=1', { key: home.key })).body.data;
    expect(reader.events[1]!.data).toEqual(event);
  });

  it('resumes behind Last-Event-ID over many breaks, missing none, doubling none', async () => {
    const first = await last();
    let writing = true;
    let written = 0;
    const writer = (async () => {
      while (writing) {
        await write();
        written++;
        await pause(Math.random() * 6);
      }
    })();
    const seen: (number | null)[] = [];
    let position = first;
    for (let n = 0; n < 12; n++) {
      const reader = await follow('', { lastEventId: position });
      // Breaks fall anywhere between two chunks: while it catches up, and while it is live.
      await until(() => reader.events.length >= 5);
      await pause(Math.random() * 20);
      reader.close();
      await until(() => reader.isOver());
      seen.push(...getIds(reader));
      position = reader.lastId() ?? position;
    }
    writing = false;
    await writer;
    await settle();
    const reader = await follow('', { lastEventId: position });
    await until(() => (reader.lastId() ?? 0) >= first + written);
    seen.push(...getIds(reader));
    expect(seen).toEqual(Array.from({ length: written }, (_, n) => first + 1 + n));
  });

  it('catches up from the start, and Last-Event-ID wins over after_sequence', async () => {
    const all = await last();
    const reader = await follow('?after_sequence=0');
    await until(() => reader.events.length === all);
    expect(getIds(reader)).toEqual(Array.from({ length: all }, (_, n) => n + 1));
    const late = await follow('?after_sequence=0', { lastEventId: all - 1 });
    await until(() => late.events.length > 0);
    expect(getIds(late)).toEqual([all]);
  });

  it('leaves out other types, while catching up and live', async () => {
    const position = await last();
    await write('ping');
    await write('member.removed');
    const reader = await follow('?type=member.*', { lastEventId: position });
    await until(() => reader.events.length === 1);
    await write('ping');
    await write('member.removed');
    await until(() => reader.events.length === 2);
    expect(reader.events.map(({ data }) => data.type)).toEqual(['member.removed', 'member.removed']);
    const limited = await home.owner.call('/api-keys', {
      workspace: home.workspace,
      body: { name: 'limited', scopes: ['events:read', 'members:read'] },
    });
    const seesLess = await follow(`?after_sequence=${position}`, { key: limited.body.secret });
    await until(() => seesLess.events.length === 4);
    expect(seesLess.events.map(({ data }) => data.type)).not.toContain('api_key.created');
  });

  it('refuses what is wrong before it begins', async () => {
    const refused = await app.call('/events/stream', { key: home.key, headers: { 'last-event-id': 'x' } });
    expect(refused).toMatchObject({ status: 400, body: { errors: [{ pointer: 'Last-Event-ID' }] } });
    expect(await app.call('/events/stream?type=nothing', { key: home.key })).toHaveStatus(400);
    expect(await app.call('/events/stream')).toHaveStatus(401);
  });

  it('ends after the revocation of its key, and of no other', async () => {
    const made = await home.owner.call('/api-keys', {
      workspace: home.workspace,
      body: { name: 'brief', preset: 'full' },
    });
    const reader = await follow('', { key: made.body.secret });
    const other = await follow();
    await until(() => reader.lastId() !== null && other.lastId() !== null);
    const answer = await home.owner.call(`/api-keys/${made.body.id}/revoke`, {
      workspace: home.workspace,
      method: 'POST',
    });
    expect(answer).toHaveStatus(200);
    await until(() => reader.isOver());
    await write();
    await until(() => other.events.some(({ data }) => data.type === 'ping'));
    expect(reader.events.some(({ data }) => data.type === 'ping')).toBe(false);
  });

  it('ends when the server stops, at once', async () => {
    const second = await startTestApp({}, app);
    const reader = await openSse(`${second.base}/api/v1/events/stream`, {
      authorization: `Bearer ${home.key}`,
    });
    await until(() => reader.lastId() !== null);
    // Connections that are still busy after 5 s are cut.
    const cut = vi.spyOn(second.app.server.server, 'closeAllConnections');
    await second.stop();
    expect(cut).not.toHaveBeenCalled();
    await until(() => reader.isOver());
  });
});

/** A single stream with settings that tests need: short heartbeats, and access to the response. */
describe('one stream', () => {
  let server: FastifyInstance;
  let liveTail: LiveTail;
  const liveEvents = createLiveEvents({ listener: { on() {}, notify() {} }, log: { debug() {} } });
  const wants = { hold: async () => () => {} };
  const answers: ServerResponse[] = [];
  const trusting = { isFresh: () => true, renew: async () => {} } as unknown as Guard;

  beforeAll(async () => {
    liveTail = createLiveTail({ db: app.database.db, log: { warn() {} } });
    server = Fastify();
    server.get('/', async (request, reply) => {
      answers.push(reply.raw);
      const { after, type } = request.query as { after?: string; type?: EventType };
      await streamEvents(
        {
          db: app.database.db,
          guard: trusting,
          liveTail,
          getPerson: async (id) => id,
          liveEvents,
          interest: wants,
          baseUrl: 'http://localhost',
        },
        {
          request,
          reply,
          actor: { workspaceId } as WorkspaceActor,
          wanted: { types: type ? [type] : null, live: [] },
          afterSequence: after === undefined ? null : Number(after),
          heartbeatMs: 60,
        },
      );
    });
    await server.listen({ host: '127.0.0.1', port: 0 });
  });
  afterAll(async () => {
    endOpenAnswers();
    liveTail.stop();
    await server.close();
  });
  const address = (): string => `http://127.0.0.1:${(server.server.address() as { port: number }).port}/`;

  it('is kept open by comments, and moves the position past what is not shown', async () => {
    const reader = await openSse(`${address()}?type=member.added`, {});
    await until(() => reader.text().split(': still here').length > 3);
    await write();
    const end = (await settle(), await last());
    await until(() => reader.lastId() === end);
    expect(reader.events).toEqual([]);
    reader.close();
  });

  it('holds little for a reader who does not read, and gives all once it does', async () => {
    const size = 20_000;
    const first = await last();
    const response = await new Promise<IncomingMessage>((resolve) =>
      httpRequest(`${address()}?after=${first}`, resolve).end(),
    );
    response.pause();
    const answer = answers.at(-1)!;
    const count = 2000;
    let max = 0;
    const watch = setInterval(() => (max = Math.max(max, answer.writableLength)), 5);
    const heapBefore = heapInUse();
    await app.database.pool.query(
      `insert into outbox (bucket, workspace_id, event_id, type, resource_id, data)
       select $1, $2, ('${newUuid().slice(0, 24)}' || lpad(to_hex(n), 12, '0'))::uuid, 'ping', n::text,
              jsonb_build_object('object', jsonb_build_object('id', n::text, 'text', repeat('x', $3)))
       from generate_series(1, $4::int) n`,
      [getBucket(workspaceId), workspaceId, size, count],
    );
    await until(() => answer.writableNeedDrain);
    await settle();
    await pause(300);
    clearInterval(watch);
    expect(answer.writableNeedDrain).toBe(true);
    expect(max).toBeLessThan(10 * size);
    // All of it would be 40 MB.
    expect(heapInUse() - heapBefore).toBeLessThan(12_000_000);

    const ids: number[] = [];
    createInterface({ input: response }).on('line', (line) => {
      if (line.startsWith('id: ')) ids.push(Number(line.slice(4)));
    });
    await until(() => ids.at(-1) === first + count);
    // The first is the position that it began at.
    expect(ids).toEqual(Array.from({ length: count + 1 }, (_, n) => first + n));
    response.destroy();
  });

  it('tells of events that were dropped before they were read, and ends', async () => {
    const first = await last();
    const response = await new Promise<IncomingMessage>((resolve) =>
      httpRequest(`${address()}?after=${first}`, resolve).end(),
    );
    response.pause();
    for (let n = 0; n < 3; n++) await write('ping', { text: 'y'.repeat(200_000) });
    await app.database.pool.query(
      `insert into outbox (bucket, workspace_id, event_id, type, data)
       select $1, $2, gen_random_uuid(), 'ping', jsonb_build_object('object', jsonb_build_object('text', repeat('x', 20000))) from generate_series(1, 600)`,
      [getBucket(workspaceId), workspaceId],
    );
    await settle();
    await pause(300);
    // In the order of event-retention.ts: a reader between the two is notified, too.
    await app.database.pool.query(
      'update workspace_sequences set expired_through = last_sequence where workspace_id = $1',
      [workspaceId],
    );
    await app.database.pool.query('delete from events where workspace_id = $1', [workspaceId]);
    let text = '';
    let ended = false;
    response.on('data', (chunk) => (text += chunk));
    response.on('end', () => (ended = true));
    response.resume();
    await until(() => ended);
    expect(text).toMatch(/event: error\ndata: \{.*"code":"sequence_expired"/);
  });
});
