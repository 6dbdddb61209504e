/**
 * Prosody as the other end: three accounts, of which the product has two, and a room. The third writes on its own to both
 * and into the room. What the server keeps in its archives is the truth, which the third's own program must have seen too.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { TestAccount } from '../conformance/suite/harness.ts';
import { textMessage } from '../conformance/suite/samples.ts';
import { readArchiveFor } from './channels/xmpp/archive-reader.ts';
import { startPeer } from './channels/xmpp/peer.ts';
import { startProsody } from './channels/xmpp/prosody.ts';
import { getServer, type XmppServer, type XmppUser } from './channels/xmpp/xmpp-server.ts';
import { type Account, succeeded } from './account.ts';
import { type MessagingWorld, type Route, startTalk } from './messaging-rounds.ts';
import { connectInstance } from './messaging-worlds.ts';

/** Somebody at the other end, after the last kill. */
const BACK_WITHIN_MS = 120_000;
const PAUSE_MS = 150;
const JOINED_WITHIN_MS = 120_000;

/** Settings of a product that trusts the server. @param folder for the file that it knows it by */
export async function trusting({ ca }: XmppServer, folder: string): Promise<Record<string, string>> {
  const authorities = join(folder, 'xmpp-authority.pem');
  await writeFile(authorities, ca);
  return { EGRESS_ALLOW: '127.0.0.1', NODE_EXTRA_CA_CERTS: authorities };
}

/** What an instance of somebody's account is made with. */
export const accountAt = (prosody: XmppServer, { address, password }: XmppUser) => ({
  name: address,
  channel: 'xmpp',
  settings: { jid: address, ...getServer(prosody) },
  credentials: { password },
});

/** Makes an instance of somebody's account, and connects it. @returns its ID */
export const connectXmpp = (account: Account, prosody: XmppServer, user: XmppUser): Promise<string> =>
  connectInstance(account, accountAt(prosody, user));

/** Waits until an instance is in a group. */
async function joined(account: Account, group: string): Promise<void> {
  const deadline = performance.now() + JOINED_WITHIN_MS;
  for (;;) {
    const read = await succeeded(await account.call('GET', '/groups'));
    const { data } = (await read.json()) as { data: { external_id: string; membership: string }[] };
    if (data.some(({ external_id: id, membership }) => id === group && membership === 'joined')) return;
    if (performance.now() > deadline) throw new Error(`not in the group: ${JSON.stringify(data)}`);
    await delay(50);
  }
}

/** @param folder an empty one, for what the server's certificate is trusted by */
export async function xmppWorld(folder: string): Promise<MessagingWorld> {
  const prosody = await startProsody();
  const [anna, bert, dora] = await Promise.all(['anna', 'bert', 'dora'].map((name) => prosody.addUser(name)));
  const users = new Map([anna!, bert!, dora!].map((user) => [user.address, user]));
  const peer = await startPeer(prosody, dora!);
  const getAccount = (user: XmppUser) => ({ address: user.address }) as TestAccount;
  const room = await peer.groups.create({ subject: 'The room' }, []);
  const inRoom = peer.groups.within(room);
  const senders = new Map<string, XmppUser>();

  /** Texts of an archive, with who wrote each. */
  const kept = async (of: string): Promise<{ from: string; text: string }[]> => {
    const isRoom = of === room.key;
    const entries = await readArchiveFor(prosody, isRoom ? dora! : users.get(of)!, isRoom ? of : null);
    return entries.flatMap(({ message }) => {
      const [bare, nick] = String(message.attrs['from']).split('/');
      const text = message.getChildText('body');
      return text === null ? [] : [{ from: isRoom ? `${nick}@${prosody.domain}` : bare!, text }];
    });
  };
  return {
    env: await trusting(prosody, folder),
    // Two accounts at twenty a second each.
    pauseMs: 200,
    isUncertain: false,
    keepsOrder: true,
    async open(account) {
      for (const user of [anna!, bert!]) senders.set(await connectXmpp(account, prosody, user), user);
      const [ofAnna, ofBert] = [...senders.keys()] as [string, string];
      await peer.groups.changeParticipants(room, 'add', anna!.address);
      await joined(account, room.address);
      return [
        { instance: ofAnna, to: bert!.address },
        { instance: ofAnna, to: dora!.address },
        { instance: ofBert, to: anna!.address },
        { instance: ofBert, to: dora!.address },
        { instance: ofAnna, to: room.address },
      ];
    },
    async received(route: Route) {
      const from = senders.get(route.instance)!.address;
      return (await kept(route.to)).filter((entry) => entry.from === from).map(({ text }) => text);
    },
    killChannel: async () => {
      await prosody.killServer();
      await prosody.startServer();
    },
    talk() {
      const talk = startTalk(PAUSE_MS, async (n) => {
        const text = `said ${n}`;
        const message = textMessage(text);
        if (n % 3 === 2) await inRoom.send(getAccount(anna!), message);
        else await peer.send(getAccount(n % 3 ? anna! : bert!), message);
        return [text];
      });
      return {
        ...talk,
        async stop() {
          await talk.stop();
          const all = await Promise.all([anna!.address, bert!.address, room.key].map(kept));
          return all.flat().flatMap(({ text }) => (text.startsWith('said ') ? [text] : []));
        },
      };
    },
    async faults() {
      const faults: string[] = [];
      for (const [seen, of] of [
        [peer, dora!.address],
        [inRoom, room.key],
      ] as const) {
        const there = (await kept(of)).map(({ text }) => text).filter((text) => text.startsWith('line '));
        const saw = async (): Promise<string[]> =>
          (await seen.seen()).flatMap((sight) => (sight.kind === 'message' ? (sight.text ?? []) : []));
        // Whose server was killed comes back, and reads what it missed.
        const until = performance.now() + BACK_WITHIN_MS;
        let texts = await saw();
        while (texts.join('\n') !== there.join('\n') && performance.now() < until) {
          await delay(PAUSE_MS);
          texts = await saw();
        }
        if (texts.join('\n') !== there.join('\n'))
          faults.push(`${of} has ${there.length} in its archive, of which somebody saw ${texts.length}`);
      }
      return faults;
    },
    async close() {
      await peer.close();
      await prosody.stop();
    },
  };
}
