/** An account on a real server: how it gets in, who it knows, who is there. What it says and hears has tests of its own. */
import xml, { type Element } from '@xmpp/xml';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Egress } from '../../src/platform/egress/egress.ts';
import { allowing, startEgress } from '../support/egress.ts';
import { needs } from '../support/needs.ts';
import { newStore, recordedContext } from './suite/recorded-context.ts';
import { type OpenStream, openStream } from '../../src/channels/xmpp/open-stream.ts';
import { readSettings } from '../../src/channels/xmpp/wire/settings.ts';
import { HAS_PROSODY, PROSODY, startProsody } from '../support/channels/xmpp/prosody.ts';
import type { XmppServer, XmppUser } from '../support/channels/xmpp/xmpp-server.ts';
import { xmppDriver } from '../../src/channels/xmpp/xmpp.driver.ts';

const SLOW = { timeout: 240_000 };
const soon = () => AbortSignal.timeout(10_000);

describe('an account', needs(PROSODY, HAS_PROSODY), () => {
  let prosody: XmppServer;
  beforeAll(async () => {
    prosody = await startProsody();
  });
  afterAll(() => prosody.stop());

  let count = 0;
  const addUser = (): Promise<XmppUser> => prosody.addUser(`user${++count}`);
  const egressFor = (ca: string | undefined = prosody.ca): Egress =>
    startEgress({ allow: allowing('127.0.0.1'), tls: ca ? { ca } : {} });

  interface Options {
    settings?: object;
    password?: string;
    instanceId?: string;
    egress?: Egress;
  }
  const getContext = (user: XmppUser, options: Options = {}) => {
    const account = {
      workspaceId: 'ws_1',
      instanceId: options.instanceId ?? `ins_01h455vb4pex5vsknk0${String(++count).padStart(7, '0')}`,
      name: 'An account',
      settings: {
        jid: user.address,
        host: prosody.host,
        port: prosody.port,
        security: 'starttls',
        ...options.settings,
      },
      credentials: { password: options.password ?? user.password },
      address: user.address,
    };
    return recordedContext({ egress: options.egress ?? egressFor() }, account, newStore(account));
  };
  const open = async (user: XmppUser, options: Options = {}) => {
    const context = getContext(user, options);
    const connection = await xmppDriver.open(context);
    onTestFinished(() => connection.close());
    return { context, connection };
  };
  /** Somebody's program that does only what it is told. */
  const openRaw = async (user: XmppUser): Promise<{ stream: OpenStream; heard: Element[] }> => {
    const context = getContext(user);
    const stream = await openStream({
      context,
      settings: readSettings(context.settings),
      password: user.password,
      onEnd: () => undefined,
    });
    onTestFinished(() => stream.close());
    const heard: Element[] = [];
    stream.onStanza((stanza) => {
      heard.push(stanza);
      return false;
    });
    return { stream, heard };
  };

  test.each([
    ['starttls', 'port'],
    ['tls', 'tlsPort'],
    ['none', 'port'],
  ] as const)('gets in by %s', async (security, port) => {
    const user = await addUser();
    const { connection, context } = await open(user, { settings: { security, port: prosody[port] } });
    expect(connection.address).toBe(user.address);
    await connection.probe(soon());
    await connection.close();
    expect(context.endings).toEqual([]);
  });

  test.each(['starttls', 'tls'] as const)(
    'gives no password to a certificate of nobody (%s)',
    async (security) => {
      const user = await addUser();
      const port = security === 'tls' ? prosody.tlsPort : prosody.port;
      const context = getContext(user, { egress: egressFor(''), settings: { security, port } });
      await expect(xmppDriver.open(context)).rejects.toMatchObject({ kind: 'lost', code: 'tls_failed' });
    },
  );

  test('gives no password to another domain by its certificate', async () => {
    const context = getContext(
      { address: 'ada@other.test', password: 'x' },
      { settings: { security: 'tls', port: prosody.tlsPort } },
    );
    await expect(xmppDriver.open(context)).rejects.toMatchObject({ kind: 'lost', code: 'tls_failed' });
  });

  test('is refused with a wrong password, and at a server of other domains', async () => {
    const user = await addUser();
    await expect(xmppDriver.open(getContext(user, { password: 'wrong' }))).rejects.toMatchObject({
      kind: 'refused',
      code: 'authentication_failed',
    });
    const stranger = { address: 'ada@other.test', password: 'x' };
    await expect(
      xmppDriver.open(getContext(stranger, { settings: { security: 'none' } })),
    ).rejects.toMatchObject({
      kind: 'refused',
      code: 'host_unknown',
    });
  });

  test('whoever opens an instance again has it, and the one before is told so', async () => {
    const user = await addUser();
    const instanceId = 'ins_01h455vb4pex5vsknk084sn02q';
    const first = await open(user, { instanceId });
    const second = await open(user, { instanceId });
    await vi.waitFor(() => expect(first.context.endings).toHaveLength(1), SLOW);
    expect(first.context.endings[0]).toMatchObject({ kind: 'lost', code: 'conflict' });
    await second.connection.probe(soon());
    expect(second.context.endings).toEqual([]);
  });

  test('in two instances is connected twice', async () => {
    const user = await addUser();
    const [one, other] = [await open(user), await open(user)];
    await one.connection.probe(soon());
    await other.connection.probe(soon());
    expect([...one.context.endings, ...other.context.endings]).toEqual([]);
  });

  test('lets in whoever asks, asks the same, and tells who comes and goes', async () => {
    const [user, friend] = [await addUser(), await addUser()];
    const { connection, context } = await open(user, { settings: { nick: 'Support' } });
    expect(connection.profileName).toBe('Support');
    const { stream, heard } = await openRaw(friend);
    stream.onStanza((stanza) => {
      if (stanza.attrs['type'] === 'subscribe')
        void stream.send(xml('presence', { to: user.address, type: 'subscribed' }));
      return false;
    });
    await stream.send(xml('presence'));
    await stream.send(xml('presence', { to: user.address, type: 'subscribe' }));
    const online = { kind: 'presence', address: friend.address, isOnline: true };
    await vi.waitFor(() => expect(context.store.signals).toContainEqual(online), SLOW);
    const isThere = (stanza: Element): boolean =>
      stanza.is('presence') && !stanza.attrs['type'] && String(stanza.attrs['from']).startsWith(user.address);
    await vi.waitFor(() => expect(heard.some(isThere)).toBe(true), SLOW);
    expect(heard.find(isThere)!.getChild('c', 'http://jabber.org/protocol/caps')).toBeDefined();

    const full = String(heard.find(isThere)!.attrs['from']);
    const payload = xml('query', { xmlns: 'http://jabber.org/protocol/disco#info' });
    const info = await stream.ask({ to: full, type: 'get', payload }, soon());
    expect(info!.getChildren('feature').map(({ attrs }) => String(attrs['var']))).toContain(
      'urn:xmpp:receipts',
    );
    await stream.ask({ to: full, type: 'get', payload: xml('ping', { xmlns: 'urn:xmpp:ping' }) }, soon());

    expect(await connection.contacts!.list!(soon())).toEqual([{ address: friend.address, name: null }]);
    await stream.send(xml('presence', { type: 'unavailable' }));
    await vi.waitFor(
      () => expect(context.store.signals).toContainEqual({ ...online, isOnline: false }),
      SLOW,
    );
  });

  test('lets nobody in where the settings say so', async () => {
    const [user, stranger] = [await addUser(), await addUser()];
    const { context, connection } = await open(user, { settings: { accept_contacts: false } });
    const { stream, heard } = await openRaw(stranger);
    await stream.send(xml('presence'));
    await stream.sendAcknowledged(xml('presence', { to: user.address, type: 'subscribe' }), soon());
    await stream.sendAcknowledged(xml('presence', { to: user.address, type: 'subscribe' }), soon());
    await connection.probe(soon());
    await stream.ping(soon());
    const types = heard
      .filter(({ attrs }) => String(attrs['from']).startsWith(user.address))
      .map(({ attrs }) => attrs['type'] as unknown);
    // That it is not there is said by the server.
    expect(types.filter((type) => type !== 'unavailable')).toEqual([]);
    expect(await connection.contacts!.list!(soon())).toEqual([]);
    expect(context.endings).toEqual([]);
  });

  test('hears and tells who types, and of what is late, copied or an error nothing', async () => {
    const [user, friend] = [await addUser(), await addUser()];
    const { connection, context } = await open(user);
    const { stream, heard } = await openRaw(friend);
    await stream.send(xml('presence'));
    const state = (name: string, attributes: object = {}, ...more: Element[]): Promise<void> =>
      stream.send(
        xml(
          'message',
          { to: user.address, type: 'chat', ...attributes },
          xml(name, { xmlns: 'http://jabber.org/protocol/chatstates' }),
          ...more,
        ),
      );
    await state('composing', {}, xml('delay', { xmlns: 'urn:xmpp:delay', stamp: '2020-01-01T00:00:00Z' }));
    await state('composing', { type: 'error' });
    await state('paused');
    await vi.waitFor(() => expect(context.store.signals).toHaveLength(1), SLOW);
    await state('composing');
    await vi.waitFor(() => expect(context.store.signals).toHaveLength(2), SLOW);
    const typing = {
      kind: 'typing',
      chat: { kind: 'direct', key: friend.address, address: friend.address, title: null },
      address: friend.address,
    };
    expect(context.store.signals).toEqual([
      { ...typing, isTyping: false },
      { ...typing, isTyping: true },
    ]);
    const chat = { kind: 'direct', key: friend.address, address: friend.address } as const;
    await connection.setTyping!(chat, true, soon());
    await connection.setTyping!(chat, false, soon());
    const states = () => heard.filter((stanza) => stanza.is('message')).map((stanza) => stanza.children[0]);
    await vi.waitFor(() => expect(states()).toMatchObject([{ name: 'composing' }, { name: 'paused' }]), SLOW);
  });

  test('knows who exists, as far as servers tell', async () => {
    const [user, somebody] = [await addUser(), await addUser()];
    const { connection } = await open(user);
    const { stream, heard } = await openRaw(somebody);
    await stream.send(xml('presence'));
    const asked = [
      `nobody@${prosody.domain}`,
      somebody.address,
      'ada@elsewhere.test',
      'no address',
      user.address,
    ];
    const found = await connection.contacts!.check!(asked, soon());
    expect(found).toEqual([false, true, null, false, true]);
    // Whoever was asked about sees nothing of it.
    await stream.ping(soon());
    expect(heard.filter((stanza) => stanza.getChild('body'))).toEqual([]);
  });

  test('blocks, and lets in again, however often', async () => {
    const [user, pest] = [await addUser(), await addUser()];
    const { connection, context } = await open(user);
    const { stream, heard } = await openRaw(pest);
    const write = (body: string): Promise<void> =>
      stream.sendAcknowledged(
        xml('message', { to: user.address, type: 'chat', id: body }, xml('body', {}, body)),
        soon(),
      );
    const { setBlocked } = connection.contacts!;
    await setBlocked!(pest.address, true, soon());
    await setBlocked!(pest.address, true, soon());
    await write('blocked');
    expect(heard).toMatchObject([{ name: 'message', attrs: { type: 'error', id: 'blocked' } }]);
    await setBlocked!(pest.address, false, soon());
    await setBlocked!(pest.address, false, soon());
    await write('heard');
    await vi.waitFor(() => expect(context.messages().map(({ text }) => text)).toEqual(['heard']), SLOW);
  });

  test('tells whom its roster has, with each opening, where that is wanted', async () => {
    const user = await addUser();
    const { stream } = await openRaw(user);
    const put = (jid: string, name?: string) =>
      stream.ask(
        {
          to: null,
          type: 'set',
          payload: xml('query', { xmlns: 'jabber:iq:roster' }, xml('item', name ? { jid, name } : { jid })),
        },
        soon(),
      );
    await put('ada@elsewhere.test', 'Ada');
    await put('bob@elsewhere.test');
    const { context } = await open(user);
    const listed = { kind: 'profile', isContact: true };
    await vi.waitFor(() => {
      const told = context.store.signals.filter(({ kind }) => kind === 'profile');
      expect(told).toHaveLength(2);
      expect(told).toContainEqual({ ...listed, address: 'ada@elsewhere.test', name: 'Ada' });
      expect(told).toContainEqual({ ...listed, address: 'bob@elsewhere.test', name: null });
    }, SLOW);
  });

  test('hears of its contacts by its own server alone', async () => {
    const [user, stranger] = [await addUser(), await addUser()];
    const { connection, context } = await open(user);
    const other = await openRaw(user);
    const { stream: theirs } = await openRaw(stranger);
    await theirs.send(xml('presence'));
    await connection.contacts!.list!(soon()); // from then on its server tells what changes
    const item = xml('item', { jid: 'friend@elsewhere.test', name: 'A friend' });
    const payload = (inside: Element): Element => xml('query', { xmlns: 'jabber:iq:roster' }, inside);
    const presences = new Promise<string>((resolve) =>
      theirs.onStanza((stanza) => {
        if (stanza.is('presence') && stanza.attrs['from'] !== theirs.fullJid)
          resolve(String(stanza.attrs['from']));
        return false;
      }),
    );
    await theirs.send(xml('presence', { to: user.address, type: 'subscribe' }));
    const forged = theirs.ask(
      {
        to: await presences,
        type: 'set',
        payload: payload(xml('item', { jid: 'eve@evil.test', name: 'Eve' })),
      },
      soon(),
    );
    await expect(forged).rejects.toMatchObject({ kind: 'rejected' });
    await other.stream.ask({ to: null, type: 'set', payload: payload(item) }, soon());
    const profile = { kind: 'profile', address: 'friend@elsewhere.test', name: 'A friend', isContact: true };
    await vi.waitFor(() => expect(context.store.signals).toContainEqual(profile), SLOW);
    expect(JSON.stringify(context.store.signals)).not.toContain('evil');
  });
});
