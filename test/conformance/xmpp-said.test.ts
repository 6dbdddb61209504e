/** What is said by a real server: files and their words, look-ups, what was missed, and what strangers pretend. */
import { randomBytes, randomUUID } from 'node:crypto';
import { xml } from '@xmpp/client';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { createEgress, type Egress } from '../../src/platform/egress/egress.ts';
import { allowing } from '../support/egress.ts';
import { newUuid } from '../../src/platform/http/ids.ts';
import { publicId } from '../../src/core/vocabulary/ids.ts';
import { needs } from '../support/needs.ts';
import type { Sight } from './suite/harness.ts';
import { newStore, recordedContext, type Store } from './suite/recorded-context.ts';
import { getFile, outbound, sha256, textMessage } from './suite/samples.ts';
import { startPeer, type XmppPeer } from '../support/channels/xmpp/peer.ts';
import { HAS_PROSODY, PROSODY, startProsody } from '../support/channels/xmpp/prosody.ts';
import type { XmppServer, XmppUser } from '../support/channels/xmpp/xmpp-server.ts';
import { ask, openSession, settled } from '../support/channels/xmpp/session.ts';
import { xmppDriver } from '../../src/channels/xmpp/xmpp.driver.ts';

const SLOW = { timeout: 240_000 };
const soon = () => AbortSignal.timeout(20_000);
const STORE = xml('store', { xmlns: 'urn:xmpp:hints' });

describe('what is said', needs(PROSODY, HAS_PROSODY), () => {
  let prosody: XmppServer;
  let egress: Egress;
  beforeAll(async () => {
    prosody = await startProsody();
    egress = createEgress({ allow: allowing('127.0.0.1'), tls: { ca: prosody.ca } });
  });
  afterAll(async () => {
    await egress.close();
    await prosody.stop();
  });

  let count = 0;
  const addUser = (): Promise<XmppUser> => prosody.addUser(`person${++count}`);
  const addPeer = async (): Promise<XmppPeer> => {
    const peer = await startPeer(prosody, await addUser());
    onTestFinished(() => peer.close());
    return peer;
  };
  const getAccount = (user: XmppUser) => ({
    workspaceId: 'ws_1',
    instanceId: `ins_01h455vb4pex5vsknk0${String(++count).padStart(7, '0')}`,
    name: 'An account',
    settings: { jid: user.address, host: prosody.host, port: prosody.tlsPort, security: 'tls' },
    credentials: { password: user.password },
    address: user.address,
  });
  const open = async (account: ReturnType<typeof getAccount>, store: Store = newStore(account)) => {
    const context = recordedContext({ egress }, account, store);
    const connection = await xmppDriver.open(context);
    onTestFinished(() => connection.close());
    return { account, context, connection, store };
  };
  const meet = async () => ({ ...(await open(getAccount(await addUser()))), peer: await addPeer() });
  const seen = (peer: XmppPeer, matches: (sight: Sight) => boolean): Promise<Sight> =>
    vi.waitFor(async () => {
      const found = (await peer.seen()).find(matches);
      expect(found).toBeDefined();
      return found!;
    }, SLOW);

  /** Many at once, by another program of the peer's. */
  const writeMany = async (peer: XmppPeer, to: string, ids: readonly string[]) => {
    const acknowledged: string[] = [];
    const session = openSession(prosody, peer.user, {
      resource: 'many',
      onStanza(stanza) {
        const received = stanza.getChild('received', 'urn:xmpp:receipts');
        if (received) acknowledged.push(String(received.attrs['id']));
      },
    });
    onTestFinished(() => session.close());
    await session.use(async (link) => {
      for (const id of ids)
        await link.send(
          xml(
            'message',
            { to, type: 'chat', id },
            xml('body', {}, id),
            xml('request', { xmlns: 'urn:xmpp:receipts' }),
          ),
        );
      await settled(link);
    });
    return acknowledged;
  };

  test('a file goes over the server with its words, as one message', async () => {
    const { connection, peer } = await meet();
    const bytes = randomBytes(300_000);
    const file = getFile('image', bytes, { fileName: '../Ein Bild / 👍.png' });
    const message = outbound(peer, {
      type: 'image',
      content: { text: 'Sieh an\nund staune', file, data: null },
    });
    await connection.send(message, soon());
    expect(await seen(peer, ({ kind }) => kind === 'message')).toMatchObject({
      externalId: message.clientId,
      type: 'image',
      text: 'Sieh an\nund staune',
      file: sha256(bytes),
    });
    expect((await peer.seen()).filter(({ kind }) => kind === 'message')).toHaveLength(1);
  });

  test('a file that the server does not take fails its message, and nothing of it was sent', async () => {
    const { connection, peer } = await meet();
    const file = getFile('document', Buffer.from('x'), { size: 200 * 1024 * 1024 });
    const content = { text: null, file, data: null };
    // The driver's own bound stands before the server's.
    await expect(
      connection.send(outbound(peer, { type: 'document', content }), soon()),
    ).rejects.toMatchObject({
      kind: 'rejected',
      code: 'too_large',
    });
    const torn = getFile('document', Buffer.from('abc'), { size: 10 });
    await expect(
      connection.send(outbound(peer, { type: 'document', content: { ...content, file: torn } }), soon()),
    ).rejects.toMatchObject({ code: 'upload_failed' });
    await connection.send(outbound(peer, { text: 'after it' }), soon());
    await seen(peer, (sight) => sight.kind === 'message' && sight.text === 'after it');
    expect((await peer.seen()).filter(({ kind }) => kind === 'message')).toHaveLength(1);
  });

  test('who is not there is told with the message; who is elsewhere can not be reached', async () => {
    const { connection, peer } = await meet();
    const to = (address: string) => ({
      ...outbound(peer),
      chat: { kind: 'direct' as const, key: address, address },
    });
    await expect(connection.send(to(`nobody@${prosody.domain}`), soon())).rejects.toMatchObject({
      kind: 'rejected',
      code: 'recipient_unknown',
    });
    await expect(connection.send(to('somebody@elsewhere.test'), soon())).rejects.toMatchObject({
      kind: 'rejected',
    });
  });

  test('the archive knows what became of a message, and says so only where it keeps all', async () => {
    const { account, connection, peer } = await meet();
    const message = outbound(peer);
    await connection.send(message, soon());
    const later = Array.from({ length: 60 }, (_, nth) => `later-${nth}`);
    await writeMany(peer, account.address, later);
    expect(await connection.lookup!(message.clientId, peer.chat, soon())).toMatchObject({
      externalId: message.clientId,
      status: 'sent',
    });
    const neverSent = publicId('message', newUuid());
    expect(await connection.lookup!(neverSent, peer.chat, soon())).toBeNull();
    // Somebody else under that ID is not us.
    await peer.sendUnder!(account, neverSent, 'forged');
    expect(await connection.lookup!(neverSent, peer.chat, soon())).toBeNull();
    const session = openSession(
      prosody,
      { address: account.address, password: account.credentials.password },
      { resource: 'settings', onStanza: () => undefined },
    );
    onTestFinished(() => session.close());
    const prefer = (policy: string) =>
      session.use((link) =>
        ask(
          link,
          'set',
          null,
          xml('prefs', { xmlns: 'urn:xmpp:mam:2', default: policy }, xml('always'), xml('never')),
        ),
      );
    for (const policy of ['never', 'roster']) {
      await prefer(policy);
      expect(await connection.lookup!(neverSent, peer.chat, soon()), policy).toBe('unknown');
    }
  });

  test('what was missed comes in its order, more than a page of it, and is acknowledged once it is stored', async () => {
    const { account, connection, context, store, peer } = await meet();
    await peer.send(account, textMessage('before'));
    await vi.waitFor(() => expect(context.messages()).toHaveLength(1), SLOW);
    await connection.close();
    const ids = Array.from({ length: 120 }, (_, nth) => `missed-${nth}`);
    const acknowledged = await writeMany(peer, account.address, ids);
    expect(acknowledged).toEqual([]);
    const again = await open(account, store);
    const last = await peer.send(account, textMessage('live'));
    await vi.waitFor(() => expect(context.messages().at(-1)!.externalId).toBe(last), SLOW);
    expect(
      context
        .messages()
        .slice(1)
        .map(({ externalId }) => externalId),
    ).toEqual([...ids, last]);
    await vi.waitFor(() => expect(acknowledged).toEqual(ids), SLOW);
    expect(again.context.endings).toEqual([]);
  });

  test('what another device got before the account was an instance is nobody’s news; what nobody got is', async () => {
    const user = await addUser();
    const peer = await addPeer();
    const account = getAccount(user);
    const got: string[] = [];
    const phone = openSession(prosody, user, {
      resource: 'phone',
      onStanza: (stanza) => void got.push(stanza.getChildText('body') ?? ''),
      onOnline: (link) => link.send(xml('presence')),
    });
    onTestFinished(() => phone.close());
    await phone.use(settled);
    await peer.send(account, textMessage('long ago'));
    await vi.waitFor(() => expect(got).toContain('long ago'), SLOW);
    const { context } = await open(account);
    const id = await peer.send(account, textMessage('now'));
    await vi.waitFor(() => expect(context.messages().at(-1)?.externalId).toBe(id), SLOW);
    expect(context.messages()).toHaveLength(1);

    const other = getAccount(await addUser());
    const waited = await peer.send(other, textMessage('while nobody was there'));
    const { context: theirs } = await open(other);
    await vi.waitFor(
      () => expect(theirs.messages().map(({ externalId }) => externalId)).toEqual([waited]),
      SLOW,
    );
  });

  test('a stranger makes no messages of the account’s, nor of others, nor changes theirs', async () => {
    const { account, connection, context, peer } = await meet();
    const message = outbound(peer, { text: 'ours' });
    await connection.send(message, soon());
    const stranger = await addPeer();
    const write = (...children: Parameters<typeof xml>[2][]) =>
      stranger.write(xml('message', { to: account.address, type: 'chat', id: randomUUID() }, ...children));
    const inner = xml(
      'message',
      { xmlns: 'jabber:client', from: account.address, to: peer.address, type: 'chat', id: 'i1' },
      xml('body', {}, 'I never said this'),
    );
    const forwarded = () => xml('forwarded', { xmlns: 'urn:xmpp:forward:0' }, inner);
    await write(xml('sent', { xmlns: 'urn:xmpp:carbons:2' }, forwarded()), STORE);
    await write(xml('received', { xmlns: 'urn:xmpp:carbons:2' }, forwarded()));
    await write(xml('result', { xmlns: 'urn:xmpp:mam:2', queryid: 'q', id: 'x' }, forwarded()), STORE);
    await write(
      xml('body', {}, 'changed'),
      xml('replace', { xmlns: 'urn:xmpp:message-correct:0', id: message.clientId }),
    );
    await write(xml('retract', { xmlns: 'urn:xmpp:message-retract:1', id: message.clientId }), STORE);
    await write(
      xml('body', {}, 'the last'),
      xml('stanza-id', { xmlns: 'urn:xmpp:sid:0', by: account.address, id: 'forged' }),
    );
    await vi.waitFor(() => expect(context.messages().map(({ text }) => text)).toContain('the last'), SLOW);
    expect(context.messages()).toHaveLength(1);
    expect(context.messages()[0]!.uniqueId).not.toContain('forged');
    const names = context.store.signals.flatMap((signal) =>
      signal.kind === 'edited' || signal.kind === 'revoked' ? [signal] : [],
    );
    // They name messages of the stranger's own, of which there are none.
    expect(
      names.map(({ externalId, clientId = null }) => [
        externalId.startsWith(`by:${stranger.address} `),
        clientId,
      ]),
    ).toEqual([
      [true, null],
      [true, null],
    ]);
  });

  test('what the account reads and writes on another device is known here', async () => {
    const { account, context, peer } = await meet();
    const theirs = await peer.send(account, textMessage('theirs'));
    await vi.waitFor(() => expect(context.messages()).toHaveLength(1), SLOW);
    const phone = openSession(
      prosody,
      { address: account.address, password: account.credentials.password },
      { resource: 'phone', onStanza: () => undefined },
    );
    onTestFinished(() => phone.close());
    await phone.use(async (link) => {
      const to = { to: peer.address, type: 'chat' };
      await link.send(xml('message', { ...to, id: 'p1' }, xml('body', {}, 'from the phone')));
      await link.send(
        xml(
          'message',
          { ...to, id: 'p2' },
          xml('displayed', { xmlns: 'urn:xmpp:chat-markers:0', id: theirs }),
          STORE,
        ),
      );
      await settled(link);
    });
    const told = (kind: string) => context.store.signals.filter((signal) => signal.kind === kind);
    await vi.waitFor(() => expect(told('receipt')).toHaveLength(1), SLOW);
    const [first, own] = context.messages();
    expect(own).toMatchObject({ fromMe: true, text: 'from the phone', chat: { key: peer.address } });
    expect(told('receipt')).toMatchObject([{ status: 'read', upTo: true, clientId: null }]);
    expect(first!.aliases).toContain((told('receipt')[0] as { externalId: string }).externalId);
  });
});
