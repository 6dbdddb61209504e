/** What an installation is connected to in the whole journey: mail servers, an XMPP server, Node-RED, and people there. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  accountAt as mailAccountAt,
  HAS_MAIL_SERVERS,
  MAIL_SERVERS,
  type MailServers,
  type MailUser,
  startMailServers,
  getTransport,
} from '../channels/email/mail-servers.ts';
import type { TestAccount } from '../../conformance/suite/harness.ts';
import { textMessage } from '../../conformance/suite/samples.ts';
import { startPeer, type XmppPeer } from '../channels/xmpp/peer.ts';
import { HAS_PROSODY, PROSODY, startProsody } from '../channels/xmpp/prosody.ts';
import type { XmppServer, XmppUser } from '../channels/xmpp/xmpp-server.ts';
import { type TemporaryFolder, temporaryFolder } from '../temporary-folder.ts';
import { getMails } from '../mail-world.ts';
import { HAS_NODE_RED, type NodeRed, startNodeRed } from '../node-red.ts';
import { freePort } from '../product.ts';
import { accountAt } from '../xmpp-world.ts';

export const NEEDED = `${PROSODY}, ${MAIL_SERVERS}, and Node-RED in the folder that NODE_RED_DIR names`;
export const HAS_NEEDED = HAS_PROSODY && HAS_MAIL_SERVERS && HAS_NODE_RED;

export interface FarEnds {
  /** Settings of a server that may reach them, and trusts them. */
  env: Record<string, string>;
  nodeRed: NodeRed;
  /** What instances of our accounts are made with. */
  xmpp: object;
  email: object;
  /** Addresses of the people who write to us. */
  friend: string;
  customer: string;
  /** Somebody there writes to us. */
  friendWrites(text: string): Promise<void>;
  customerWrites(subject: string, text: string): Promise<void>;
  /** What came to them: texts, and whole mails. */
  friendSaw(): Promise<string[]>;
  customerSaw(): Promise<string[]>;
  stop(): Promise<void>;
}

/** @param folder an empty one, for what servers are trusted by */
export async function startFarEnds(folder: string): Promise<FarEnds> {
  const [prosody, mail, flows]: [XmppServer, MailServers, TemporaryFolder] = await Promise.all([
    startProsody(),
    startMailServers(),
    temporaryFolder('node-red-'),
  ]);
  const ours: XmppUser = await prosody.addUser('shop');
  const us = { address: ours.address } as TestAccount;
  const peer: XmppPeer = await startPeer(prosody, await prosody.addUser('friend'));
  const [mailbox, customer]: MailUser[] = [await mail.addUser('shop'), await mail.addUser('customer')];
  const nodeRed = await startNodeRed(flows.path, await freePort());
  const authorities = join(folder, 'authorities.pem');
  await writeFile(authorities, `${prosody.ca}\n${mail.ca}\n`);
  const transport = getTransport(mail, customer!);
  return {
    env: { EGRESS_ALLOW: '127.0.0.1', NODE_EXTRA_CA_CERTS: authorities },
    nodeRed,
    xmpp: accountAt(prosody, ours),
    email: { name: mailbox!.address, channel: 'email', ...mailAccountAt(mail, mailbox!) },
    friend: peer.address,
    customer: customer!.address,
    async friendWrites(text) {
      await peer.send(us, textMessage(text));
    },
    async customerWrites(subject, text) {
      await transport.sendMail({ from: customer!.address, to: mailbox!.address, subject, text });
    },
    friendSaw: async () =>
      (await peer.seen()).flatMap((sight) => (sight.kind === 'message' && sight.text ? [sight.text] : [])),
    customerSaw: () => getMails(customer!),
    async stop() {
      transport.close();
      await nodeRed.stop();
      await peer.close();
      await Promise.all([prosody.stop(), mail.stop()]);
      await flows[Symbol.asyncDispose]();
    },
  };
}
