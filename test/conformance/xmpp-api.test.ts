/** XMPP through the REST API, against Prosody; at the other end is a program of its own. */
import { createHash } from 'node:crypto';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { PATIENCE } from '../support/patience.ts';
import type { Sight, TestAccount } from './suite/harness.ts';
import { textMessage } from './suite/samples.ts';
import { startPeer, type XmppPeer } from '../support/channels/xmpp/peer.ts';
import { HAS_PROSODY, PROSODY, startProsody } from '../support/channels/xmpp/prosody.ts';
import type { XmppServer, XmppUser } from '../support/channels/xmpp/xmpp-server.ts';
import { PNG, upload } from '../support/messaging/media.ts';
import { needs } from '../support/needs.ts';
import { type Answer, startTestApp, startWorkspace, type TestApp } from '../support/test-app.ts';
import { accountAt } from '../support/xmpp-world.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- tests look into any answer
type Body = any;

describe('XMPP through the API', needs(PROSODY, HAS_PROSODY), () => {
  const authorities = getCACertificates('default');
  let app: TestApp;
  let key: string;
  let prosody: XmppServer;
  let user: XmppUser;
  let peer: XmppPeer;
  let us: TestAccount;
  let instance: Body;

  const call = (path: string, body?: unknown, method?: string): Promise<Answer> =>
    app.call(path, { key, body, method });
  const get = async (path: string): Promise<Body> => {
    const { status, body } = await call(path);
    expect([status, path], JSON.stringify(body)).toEqual([200, path]);
    return body;
  };
  const post = async (path: string, given?: unknown, method = 'POST'): Promise<Body> => {
    const { status, body } = await call(path, given, method);
    expect(status, JSON.stringify(body)).toBeLessThan(300);
    return body;
  };
  const inState = (id: string, state: string): Promise<Body> =>
    vi.waitFor(async () => {
      const found = await get(`/instances/${id}`);
      expect(found).toMatchObject({ state });
      return found;
    }, PATIENCE);
  const send = (message: object): Promise<Body> =>
    post('/messages', { instance_id: instance.id, to: peer.address, type: 'text', ...message });
  const becomes = (id: string, expected: object): Promise<Body> =>
    vi.waitFor(async () => {
      const found = await get(`/messages/${id}`);
      expect(found).toMatchObject(expected);
      return found;
    }, PATIENCE);
  /** The message under which something is known that came, once it is. */
  const heard = (externalId: string): Promise<Body> =>
    vi.waitFor(async () => {
      const { data } = await get(`/messages?instance_id=${instance.id}&limit=100`);
      const found = data.find((each: Body) => each.external_id === externalId);
      expect(found, externalId).toBeDefined();
      return found;
    }, PATIENCE);
  const seen = (matches: object, who: Pick<XmppPeer, 'seen'> = peer): Promise<Sight> =>
    vi.waitFor(async () => {
      const sights = await who.seen();
      const found = sights.find((sight) =>
        Object.entries(matches).every(([name, value]) => Reflect.get(sight, name) === value),
      );
      expect(found, JSON.stringify([matches, sights])).toBeDefined();
      return found!;
    }, PATIENCE);
  const done = (job: Body): Promise<Body> =>
    vi.waitFor(async () => {
      const found = await get(`/jobs/${job.id}`);
      expect(found.state, JSON.stringify(found)).toBe('succeeded');
      return found.result;
    }, PATIENCE);
  const groupBecomes = (id: string, expected: object): Promise<Body> =>
    vi.waitFor(async () => {
      const found = await get(`/groups/${id}`);
      expect(found).toMatchObject(expected);
      return found;
    }, PATIENCE);

  beforeAll(async () => {
    prosody = await startProsody();
    setDefaultCACertificates([...authorities, prosody.ca]);
    app = await startTestApp({ EGRESS_ALLOW: '127.0.0.1' });
    ({ key } = await startWorkspace(app));
    user = await prosody.addUser('support');
    us = { address: user.address } as TestAccount;
    peer = await startPeer(prosody, await prosody.addUser('customer'));
    instance = await post('/instances', accountAt(prosody, user));
    await post(`/instances/${instance.id}/connect`);
    await inState(instance.id, 'connected');
  });
  afterAll(async () => {
    await app?.stop();
    setDefaultCACertificates(authorities);
    await peer?.close();
    await prosody?.stop();
  });

  test('credentials are checked before an account is made, and a wrong password ends a connection', async () => {
    const check = (password: string) => {
      const { settings, credentials } = accountAt(prosody, { ...user, password });
      return post('/channels/xmpp/check', { settings, credentials });
    };
    expect(await check(user.password)).toMatchObject({ ok: true, address: user.address });
    expect(await check('wrong')).toMatchObject({ ok: false, error: { code: 'authentication_failed' } });
    const other = await prosody.addUser('other');
    const made = await post('/instances', accountAt(prosody, { ...other, password: 'wrong' }));
    await post(`/instances/${made.id}/connect`);
    const failed = await inState(made.id, 'failed');
    expect(failed.last_error).toMatchObject({ code: 'authentication_failed' });
  });

  test('a message is sent, received, read, answered and reacted to', async () => {
    const sent = await send({ text: { body: 'Guten Tag, 灯台 & <b>mehr</b>' } });
    await becomes(sent.id, { status: 'sent', from: user.address });
    await seen({ kind: 'message', externalId: sent.id, text: 'Guten Tag, 灯台 & <b>mehr</b>' });
    await peer.markDelivered!(us, sent.id);
    await becomes(sent.id, { status: 'delivered' });
    await peer.markRead!(us, sent.id);
    await becomes(sent.id, { status: 'read' });
    await peer.react!(us, sent.id, '👍');
    await vi.waitFor(async () => {
      const { reactions } = await get(`/messages/${sent.id}`);
      expect(JSON.stringify(reactions)).toContain('👍');
    }, PATIENCE);

    const id = await peer.send(us, { ...textMessage('Danke 👍'), replyTo: sent.id });
    const answer = await heard(id);
    expect(answer).toMatchObject({ text: { body: 'Danke 👍' }, from: peer.address, direction: 'inbound' });
    expect(answer.reply_to).toBe(sent.id);
    await seen({ kind: 'receipt', externalId: id, status: 'delivered' });
    await post(`/messages/${answer.id}/read`);
    await seen({ kind: 'receipt', externalId: id, status: 'read' });
    await send({ type: 'reaction', to: undefined, reaction: { message_id: answer.id, emoji: '🎉' } });
    await seen({ kind: 'reacted', externalId: id, emoji: '🎉' });
    const again = await send({ text: { body: 'Gern' }, reply_to: answer.id });
    await seen({ kind: 'message', externalId: again.id, replyTo: id });
  });

  test('messages are changed and taken back, by either side', async () => {
    const sent = await send({ text: { body: 'before' } });
    await becomes(sent.id, { status: 'sent' });
    await post(`/messages/${sent.id}`, { text: { body: 'after' } }, 'PATCH');
    await seen({ kind: 'edited', externalId: sent.id, text: 'after' });
    await post(`/messages/${sent.id}`, undefined, 'DELETE');
    await seen({ kind: 'revoked', externalId: sent.id });

    const id = await peer.send(us, textMessage('theirs before'));
    const { id: theirs } = await heard(id);
    await peer.edit!(us, id, 'theirs after');
    await becomes(theirs, { text: { body: 'theirs after' } });
    await peer.revoke!(us, id);
    await vi.waitFor(async () => {
      const found = await get(`/messages/${theirs}`);
      expect(JSON.stringify(found)).not.toContain('theirs after');
    }, PATIENCE);
  });

  test('files go and come whole', async () => {
    const bytes = PNG;
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const { body: media } = await upload(app, { key }, { bytes, name: 'Bild.png', type: 'image/png' });
    const sent = await send({ type: 'image', image: { media_id: media.id, caption: 'Ein Bild' } });
    await seen({ kind: 'message', externalId: sent.id, type: 'image', file: sha256, text: 'Ein Bild' });

    const file = { bytes, fileName: 'Ihr Bild.png', mimeType: 'image/png' };
    const id = await peer.send(us, { type: 'image', text: null, file, data: null, replyTo: null });
    const { image } = await vi.waitFor(async () => {
      const found = await heard(id);
      expect(found.image.media_id).toMatch(/^med/);
      return found;
    }, PATIENCE);
    await vi.waitFor(
      async () =>
        expect(await get(`/media/${image.media_id}`)).toMatchObject({
          state: 'ready',
          size: bytes.length,
          sha256,
        }),
      PATIENCE,
    );
  });

  test('typing is shown', async () => {
    const { chat } = await heard(await peer.send(us, textMessage('a chat to type in')));
    await post(`/chats/${chat.id}/typing`, { is_typing: true });
    expect(await seen({ kind: 'typing', isTyping: true })).toBeDefined();
  });

  test('groups are made, talked in, changed and left; those of others are entered when they invite', async () => {
    const made = await done(
      await post('/groups', {
        instance_id: instance.id,
        subject: 'Unsere Gruppe',
        participants: [{ address: peer.address }],
      }),
    );
    const { group } = made;
    expect(group).toMatchObject({ subject: 'Unsere Gruppe', membership: 'joined', role: 'owner' });
    const chat = { kind: 'group' as const, key: group.external_id, address: group.external_id };
    await vi.waitFor(async () => expect(await peer.groups.see(chat)).not.toBeNull(), PATIENCE);
    const inside = peer.groups.within(chat);
    const sent = await send({ to: group.external_id, text: { body: 'Hallo alle' } });
    const { external_id: name } = await becomes(sent.id, { status: 'sent' });
    await seen({ kind: 'message', externalId: name, text: 'Hallo alle', from: user.address }, inside);
    const id = await inside.send(us, { ...textMessage('Hallo zurück'), replyTo: name });
    const answer = await heard(id);
    expect(answer).toMatchObject({ from: peer.address, text: { body: 'Hallo zurück' } });
    expect(answer.reply_to).toBe(sent.id);
    await done(
      await post(`/groups/${group.id}`, { subject: 'Anders', description: 'Worum es geht' }, 'PATCH'),
    );
    await vi.waitFor(
      async () =>
        expect(await peer.groups.see(chat)).toMatchObject({
          subject: 'Anders',
          description: 'Worum es geht',
        }),
      PATIENCE,
    );
    await peer.groups.leave(chat);
    await groupBecomes(group.id, { participants_count: 1 });
    await done(await post(`/groups/${group.id}/leave`));
    await groupBecomes(group.id, { membership: 'left' });

    const theirs = await peer.groups.create({ subject: 'Ihre Gruppe' }, [user.address]);
    const found = await vi.waitFor(async () => {
      const { data } = await get(`/groups?instance_id=${instance.id}`);
      const one = data.find((each: Body) => each.external_id === theirs.key);
      expect(one).toMatchObject({ subject: 'Ihre Gruppe', membership: 'joined' });
      return one;
    }, PATIENCE);
    await peer.groups.changeParticipants(theirs, 'ban', user.address);
    await groupBecomes(found.id, { membership: 'banned' });
  });
});
