/** XMPP for the conformance suite: a server, and correspondents who use a program of their own. */
import { randomBytes, randomUUID } from 'node:crypto';
import net, { type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { xml } from '@xmpp/client';
import { createEgress } from '../../../../src/platform/egress/egress.ts';
import { allowing } from '../../egress.ts';
import { type Door, openIngress } from '../../account-access.ts';
import type { Harness, TestAccount } from '../../../conformance/suite/harness.ts';
import { xmppDriver } from '../../../../src/channels/xmpp/xmpp.driver.ts';
import { MUC } from './peer-room.ts';
import { startPeer, type XmppPeer } from './peer.ts';
import { ask, type Link, openSession, settled } from './session.ts';
import type { XmppServer, XmppUser } from './xmpp-server.ts';

/** @param start starts the server, which `stop` of the harness ends */
export async function startXmppHarness(
  start: () => Promise<XmppServer>,
): Promise<Harness & { stop(): Promise<void> }> {
  const server = await start();
  const egress = createEgress({ allow: allowing('127.0.0.1'), tls: { ca: server.ca } });
  // Somebody who takes calls and never says a word.
  const silent = net.createServer((socket) => socket.on('error', () => {}));
  await once(silent.listen(0, '127.0.0.1'), 'listening');
  const known = new Map<string, { user: XmppUser; door: Door }>();
  const peers: XmppPeer[] = [];
  const nobody = `nobody-${randomBytes(5).toString('hex')}@${server.domain}`;
  const newUser = () => server.addUser(`user-${randomBytes(5).toString('hex')}`);

  const makeAccount = async (): Promise<TestAccount> => {
    const user = await newUser();
    const door = await openIngress(server.host, server.tlsPort);
    known.set(user.address, { user, door });
    return {
      workspaceId: randomUUID(),
      instanceId: randomUUID(),
      name: 'XMPP',
      settings: { jid: user.address, host: '127.0.0.1', port: door.port, security: 'tls' },
      credentials: { password: user.password },
      address: user.address,
    };
  };
  /** By a program of the account's owner, on another device. */
  const elsewhere = async ({ address }: TestAccount, work: (link: Link) => Promise<void>): Promise<void> => {
    const { user } = known.get(address)!;
    const session = openSession(server, user, { resource: 'phone', onStanza: () => undefined });
    try {
      await session.use(async (link) => {
        await work(link);
        await settled(link);
      });
    } finally {
      await session.close();
    }
  };

  return {
    driver: xmppDriver,
    egress,
    makeAccount,
    async makePeer() {
      const peer = await startPeer(server, await newUser());
      peers.push(peer);
      return peer;
    },
    refused: (account) => ({ ...account, credentials: { password: 'wrong' } }),
    async makeSlowAccount() {
      const account = await makeAccount();
      const { port } = silent.address() as AddressInfo;
      return { ...account, settings: { ...(account.settings as object), port, security: 'starttls' } };
    },
    unknownAddress: nobody,
    unknownMember: nobody,
    unknownGroup: `nothing-${randomBytes(5).toString('hex')}@${server.rooms}`,
    keptConnection: {
      cut: async ({ address }) => known.get(address)!.door.cut(),
      deafen: async ({ address }) => known.get(address)!.door.mute(),
    },
    writeElsewhere: (account, peer, text) =>
      elsewhere(account, (link) =>
        link.send(
          xml('message', { to: peer.address, type: 'chat', id: randomUUID() }, xml('body', {}, text)),
        ),
      ),
    writeToGroupElsewhere: (account, group, text) =>
      elsewhere(account, async (link) => {
        const nick = account.address.split('@')[0]!;
        await link.send(xml('presence', { to: `${group.key}/${nick}` }, xml('x', { xmlns: MUC })));
        await link.send(
          xml('message', { to: group.key, type: 'groupchat', id: randomUUID() }, xml('body', {}, text)),
        );
      }),
    async versions() {
      const session = openSession(server, await newUser(), { resource: 'admin', onStanza: () => undefined });
      try {
        const query = xml('query', { xmlns: 'jabber:iq:version' });
        const answer = await session.use((link) => ask(link, 'get', server.domain, query));
        const [name, version] = ['name', 'version'].map((part) => answer!.getChildText(part)!);
        return { [name!]: version! };
      } finally {
        await session.close();
      }
    },
    server: { stop: server.stopServer, start: server.startServer },
    // To clients a recording is a sound like any other.
    shownAs: { voice: 'audio' },
    sameAddresses: [
      ['Ada@Example.com', ' ada@example.COM '],
      ['xmpp:ada@example.com', 'ada@example.com.'],
      ['ada@bücher.example', 'ada@xn--bcher-kva.example'],
      ['caf\u00e9@example.com', 'CAFE\u0301@example.com'],
      ['tea@rooms.example.com/Ada  B', 'TEA@rooms.example.com/Ada\u00a0\u00a0B'],
    ],
    badAddresses: [
      'ada',
      '@example.com',
      'ada@',
      'a b@example.com',
      'a"b@example.com',
      'ada@bob@example.com',
      'ada@example.com/',
      'ada@exa mple.com',
      'ada@example.com\r\n<presence/>',
      'ada@example.com/a\0b',
      'a\u202Eb@example.com',
      `${'a'.repeat(1025)}@example.com`,
      `ada@${'a'.repeat(254)}.com`,
    ],
    patience: 20_000,
    async stop() {
      await Promise.all(peers.map((peer) => peer.close()));
      for (const { door } of known.values()) door.close();
      silent.close();
      await egress.close();
      await server.stop();
    },
  };
}
