/** Tests typing and presence with two processes: one holds the connections, the other serves the API. */
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { PATIENCE } from '../../../../test/support/patience.ts';
import { openSse, type SseReader } from '../../../../test/support/events/sse.ts';
import { toUuid } from '../../../core/vocabulary/ids.ts';
import { startTestApp, startWorkspace, type TestApp } from '../../../../test/support/test-app.ts';
import { getEvents } from '../../../../test/support/workspaces.ts';

let holder: TestApp;
let api: TestApp;
let home: Awaited<ReturnType<typeof startWorkspace>>;
let anna: string;
let ben: string;
const readers: SseReader[] = [];

async function ok(path: string, body?: unknown, method?: string) {
  const answer = await api.call(path, { key: home.key, body, method });
  if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
}
async function connected(name: string): Promise<string> {
  const { id } = await ok('/instances', { name, channel: 'sandbox', settings: {} });
  await ok(`/instances/${id}/connect`, undefined, 'POST');
  await vi.waitFor(async () => expect((await ok(`/instances/${id}`)).state).toBe('connected'), PATIENCE);
  return id;
}
const send = (to: string, body: string) =>
  ok('/messages', { instance_id: anna, to, type: 'text', text: { body } });
async function follow(app: TestApp, query = '', key = home.key): Promise<SseReader> {
  const reader = await openSse(`${app.base}/api/v1/events/stream${query}`, {
    authorization: `Bearer ${key}`,
  });
  readers.push(reader);
  if (reader.status === 200) await vi.waitFor(() => expect(reader.lastId()).not.toBeNull(), PATIENCE);
  return reader;
}
async function keyWith(scopes: string[]): Promise<string> {
  const made = await home.owner.call('/api-keys', {
    workspace: home.workspace,
    body: { name: 'reader', scopes },
  });
  return made.body.secret;
}
const told = (reader: SseReader, type: string) => reader.events.filter(({ data }) => data.type === type);

beforeAll(async () => {
  holder = await startTestApp();
  api = await startTestApp({ ROLE: 'api' }, holder);
  home = await startWorkspace(holder);
  anna = await connected('Anna');
  ben = await connected('Ben');
});
afterEach(() => {
  for (const reader of readers.splice(0)) reader.close();
});
afterAll(async () => {
  await api.stop();
  await holder.stop();
});

describe('typing and presence', () => {
  test('typing is sent by the process that holds the connection, and appears on the streams of all', async () => {
    await send('ben', 'Are you there?');
    const chat = await vi.waitFor(async () => {
      const [found] = (await ok(`/chats?instance_id=${ben}`)).data;
      expect(found).toBeDefined();
      return found;
    }, PATIENCE);
    const streams = [await follow(api, '?type=chat.typing'), await follow(holder, '?type=chat.*')];
    const [mine] = (await ok(`/chats?instance_id=${anna}&q=ben`)).data;
    for (const isTyping of [true, false]) {
      await ok(`/chats/${mine.id}/typing`, { is_typing: isTyping });
      for (const stream of streams)
        await vi.waitFor(
          () => expect(told(stream, 'chat.typing').at(-1)?.data.data.object.is_typing).toBe(isTyping),
          PATIENCE,
        );
    }
    const [block] = told(streams[0]!, 'chat.typing');
    expect(block).toMatchObject({
      id: null,
      data: {
        id: null,
        object: 'event',
        sequence: null,
        workspace_id: home.workspace,
        data: {
          object: {
            object: 'chat_typing',
            chat_id: chat.id,
            instance_id: ben,
            contact_id: chat.contact_id,
            address: 'anna',
            is_typing: true,
          },
        },
      },
    });
    expect(streams[0]!.events.every(({ data }) => data.type === 'chat.typing')).toBe(true);
  });

  test('presence of a contact is not stored, listed or sent to webhooks', async () => {
    const hook = await ok('/webhooks', { url: 'https://example.com/all', events: ['*'], enabled: false });
    const stream = await follow(api);
    await send('Alice', 'hello');
    await vi.waitFor(
      () => expect(told(stream, 'contact.presence').at(-1)?.data.data.object.is_online).toBe(false),
      PATIENCE,
    );
    const contact = (await ok('/contacts?address=alice')).data[0];
    expect(told(stream, 'contact.presence')[0]!.data.data.object).toMatchObject({
      object: 'contact_presence',
      contact_id: contact.id,
      instance_id: anna,
      address: 'alice',
    });
    await vi.waitFor(() => expect(told(stream, 'message.received').length).toBeGreaterThan(0), PATIENCE);
    // The stream continues from the log, whatever came in between.
    const last = stream.lastId()!;
    expect(told(stream, 'message.received').at(-1)!.id).toBeLessThanOrEqual(last);
    const stored = (await getEvents(holder, toUuid('workspace', home.workspace)!)).map(({ type }) => type);
    expect(stored.filter((type) => /typing|presence/.test(type))).toEqual([]);
    await ok(`/webhooks/${hook.id}`, undefined, 'DELETE').catch(() => undefined);
  });

  test('is filtered by scope, rejected where unsupported, and listed as ephemeral', async () => {
    const reader = await keyWith(['events:read', 'messages:read', 'contacts:read']);
    const narrow = await follow(api, '', reader);
    const all = await follow(api);
    await send('Carol', 'hello');
    for (const type of ['chat.typing', 'contact.presence'])
      await vi.waitFor(() => expect(told(all, type).length).toBeGreaterThan(0), PATIENCE);
    await vi.waitFor(() => expect(told(narrow, 'contact.presence').length).toBeGreaterThan(0), PATIENCE);
    expect(told(narrow, 'chat.typing')).toEqual([]);
    const refused = await follow(api, '?type=chat.typing', reader);
    expect(refused).toHaveStatus(403);
    expect(await follow(api, '?type=chat.typed')).toHaveStatus(400);

    for (const events of [['chat.typing'], ['message.*', 'contact.presence']]) {
      const answer = await api.call('/webhooks', {
        key: home.key,
        body: { url: 'https://example.com', events },
      });
      expect(answer).toHaveStatus(400);
      expect(answer.body.errors).toEqual([
        expect.objectContaining({ pointer: `/events/${events.length - 1}`, code: 'stream_only_event_type' }),
      ]);
    }
    const listed = await api.call('/events?type=chat.typing', { key: home.key });
    expect(listed.body.errors[0]).toMatchObject({ pointer: '?type', code: 'stream_only_event_type' });

    const shown = await ok('/event-types/chat.typing');
    expect(shown).toMatchObject({
      stream_only: true,
      scope: 'chats:read',
      sample: { id: null, sequence: null },
    });
    const types = (await ok('/event-types')).data;
    expect(types.filter((type: { stream_only: boolean }) => type.stream_only)).toHaveLength(2);
  });
});
