/** Tests messages in a group from one account to another over the sandbox, through the API on both sides. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { PATIENCE } from '../../../../test/support/patience.ts';
import { openSse, type SseReader } from '../../../../test/support/events/sse.ts';
import { startTestApp, startWorkspace, type TestApp } from '../../../../test/support/test-app.ts';

let app: TestApp;
let home: Awaited<ReturnType<typeof startWorkspace>>;
const readers: SseReader[] = [];

async function ok(path: string, body?: unknown, method?: string) {
  const answer = await app.call(path, { key: home.key, body, method });
  if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
}
async function connected(name: string): Promise<string> {
  const { id } = await ok('/instances', { name, channel: 'sandbox', settings: {} });
  await ok(`/instances/${id}/connect`, undefined, 'POST');
  await vi.waitFor(async () => expect((await ok(`/instances/${id}`)).state).toBe('connected'), PATIENCE);
  return id;
}
async function done(job: { id: string }) {
  const ended = await vi.waitFor(async () => {
    const now = await ok(`/jobs/${job.id}`);
    expect(['succeeded', 'failed']).toContain(now.state);
    return now;
  }, PATIENCE);
  expect(ended).toMatchObject({ state: 'succeeded', error: null });
  return ended.result;
}
/** Returns the group as another account has it. */
const getGroup = (instance: string, membership = 'joined') =>
  vi.waitFor(async () => {
    const [found] = (await ok(`/groups?instance_id=${instance}`)).data;
    expect(found?.membership).toBe(membership);
    return found;
  }, PATIENCE);
const heard = (chat: string, body: string) =>
  vi.waitFor(async () => {
    const { data } = await ok(`/chats/${chat}/messages`);
    const found = data.find((one: { text: { body: string } | null }) => one.text?.body === body);
    expect(found).toBeDefined();
    return found;
  }, PATIENCE);
const until = (id: string, has: object) =>
  vi.waitFor(async () => {
    const message = await ok(`/messages/${id}`);
    expect(message).toMatchObject(has);
    return message;
  }, PATIENCE);
const say = (instance: string, group: string, body: string, more = {}) =>
  ok('/messages', { instance_id: instance, group_id: group, type: 'text', text: { body }, ...more });

beforeAll(async () => {
  app = await startTestApp();
  home = await startWorkspace(app);
});
afterAll(async () => {
  for (const reader of readers) reader.close();
  await app.stop();
});

describe('two accounts in a group', { timeout: 240_000 }, () => {
  let anna: string;
  let ben: string;
  /** The group as each account has it. */
  let annasGroup: { id: string; chat_id: string };
  let bensGroup: { id: string; chat_id: string };
  beforeAll(async () => {
    anna = await connected('Anna');
    ben = await connected('Ben');
    const made = await ok('/groups', {
      instance_id: anna,
      subject: 'Club',
      participants: [{ address: 'ben' }, { address: 'carol' }],
    });
    annasGroup = (await done(made)).group;
    bensGroup = await getGroup(ben);
  });

  test('receive each other in its chat, with the author', async () => {
    const sent = await say(anna, annasGroup.id, 'hello all');
    expect(sent.chat).toEqual({ id: annasGroup.chat_id, kind: 'group' });
    const came = await heard(bensGroup.chat_id, 'hello all');
    expect(came).toMatchObject({
      direction: 'inbound',
      status: 'received',
      from: 'anna',
      chat: { id: bensGroup.chat_id, kind: 'group' },
    });
    expect((await ok(`/contacts/${came.contact_id}`)).identities).toMatchObject([{ address: 'anna' }]);
    const chat = await ok(`/chats/${bensGroup.chat_id}`);
    expect(chat).toMatchObject({ title: 'Club', contact_id: null, group_id: bensGroup.id, unread: 1 });

    const answer = await say(ben, bensGroup.id, 'hello Anna', { reply_to: came.id });
    expect(await heard(annasGroup.chat_id, 'hello Anna')).toMatchObject({ from: 'ben', reply_to: sent.id });
    await until(answer.id, { status: 'sent' });
  });

  /** Sends a text from Anna. @returns the message as sent, and as Ben received it */
  async function talk(body: string) {
    const sent = await say(anna, annasGroup.id, body);
    const came = await heard(bensGroup.chat_id, body);
    await until(sent.id, { status: 'sent' });
    return { sent, came };
  }

  test('edit, react to and revoke messages', async () => {
    const { sent, came } = await talk('first words');
    await ok(`/messages/${sent.id}`, { text: { body: 'better words' } }, 'PATCH');
    await until(came.id, { text: { body: 'better words' } });
    await ok(`/messages/${came.id}/reaction`, { emoji: '👍' }, 'PUT');
    await until(sent.id, { reactions: [{ emoji: '👍', from: 'ben', from_me: false }] });
    await ok(`/messages/${sent.id}`, undefined, 'DELETE');
    await vi.waitFor(
      async () => expect((await ok(`/messages/${came.id}`)).deleted_at).not.toBeNull(),
      PATIENCE,
    );
    expect((await ok(`/messages/${came.id}`)).text).toBeNull();
  });

  test('read messages, which is no receipt for the whole group', async () => {
    const { sent, came } = await talk('read this');
    await ok(`/chats/${bensGroup.chat_id}/read`, undefined, 'POST');
    await until(came.id, { status: 'read', pending_action: null, action_error: null });
    // Arrives after the receipt, if there is one.
    await say(ben, bensGroup.id, 'I have read it');
    await heard(annasGroup.chat_id, 'I have read it');
    expect((await ok(`/messages/${sent.id}`)).status).toBe('sent');
  });

  test('are shown typing, by name', async () => {
    const stream = await openSse(`${app.base}/api/v1/events/stream?type=chat.typing`, {
      authorization: `Bearer ${home.key}`,
    });
    readers.push(stream);
    await vi.waitFor(() => expect(stream.lastId()).not.toBeNull(), PATIENCE);
    await ok(`/chats/${bensGroup.chat_id}/typing`, {});
    const typing = await vi.waitFor(() => {
      const found = stream.events.find(({ data }) => data.type === 'chat.typing');
      expect(found).toBeDefined();
      return found!.data.data.object;
    }, PATIENCE);
    expect(typing).toMatchObject({ chat_id: annasGroup.chat_id, address: 'ben', is_typing: true });
  });

  test('queued messages fail with the error of the channel when the account is removed; nothing more is queued', async () => {
    const waiting = await say(ben, bensGroup.id, 'too late', {
      scheduled_at: new Date(Date.now() + 3_600_000).toISOString(),
    });
    const removal = { action: 'remove', participants: [{ address: 'ben' }] };
    await done(await ok(`/groups/${annasGroup.id}/participants`, removal));
    await getGroup(ben, 'removed');
    const refused = await app.call('/messages', {
      key: home.key,
      body: { instance_id: ben, chat_id: bensGroup.chat_id, type: 'text', text: { body: 'no' } },
    });
    expect([refused.status, refused.body.code]).toEqual([422, 'not_in_group']);
    await ok(`/messages/${waiting.id}`, { scheduled_at: null }, 'PATCH');
    const failed = await until(waiting.id, { status: 'failed' });
    expect(failed.error).toMatchObject({ code: 'group_unknown', retryable: false });
    const { data } = await ok(`/chats/${annasGroup.chat_id}/messages`);
    expect(data.map(({ text }: { text: { body: string } | null }) => text?.body)).not.toContain('too late');
  });
});
