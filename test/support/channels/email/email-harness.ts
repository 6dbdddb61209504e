/** Email for the conformance suite: Dovecot and Postfix, and correspondents who use a mail program of their own. */
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import net, { type AddressInfo } from 'node:net';
import { once } from 'node:events';
import type { ParsedMail } from 'mailparser';
import { createEgress } from '../../../../src/platform/egress/egress.ts';
import { allowing } from '../../egress.ts';
import type { MessageType } from '../../../../src/channels/contract/capabilities.ts';
import type { Harness, Peer, Sight, TestAccount } from '../../../conformance/suite/harness.ts';
import { emailDriver } from '../../../../src/channels/email/email.driver.ts';
import { type Door, openIngress } from '../../account-access.ts';
import { mailClient } from './mail-client.ts';
import { REFUSED } from './mail-server-configs.ts';
import { type MailUser, mailServerVersions, startMailServers } from './mail-servers.ts';

interface Known {
  user: MailUser;
  doors: Door[];
}

export async function startEmailHarness(): Promise<Harness & { stop(): Promise<void> }> {
  const servers = await startMailServers();
  const egress = createEgress({ allow: allowing('127.0.0.1'), tls: { ca: servers.ca } });
  // Somebody who takes calls and never says a word.
  const silent = net.createServer((socket) => socket.on('error', () => {}));
  await once(silent.listen(0, '127.0.0.1'), 'listening');
  const known = new Map<string, Known>();
  const newUser = () => servers.addUser(`user-${randomBytes(5).toString('hex')}`);

  const makeAccount = async (): Promise<TestAccount> => {
    const user = await newUser();
    const imap = await openIngress(servers.imap.host, servers.imap.tlsPort);
    const smtp = await openIngress(servers.smtp.host, servers.smtp.tlsPort);
    known.set(user.address, { user, doors: [imap, smtp] });
    const server = (port: number) => ({ host: '127.0.0.1', port, security: 'tls' });
    return {
      workspaceId: randomUUID(),
      instanceId: randomUUID(),
      name: 'Mail',
      settings: { address: user.address, imap: server(imap.port), smtp: server(smtp.port), poll_seconds: 1 },
      credentials: { user: user.address, password: user.password },
      address: user.address,
    };
  };
  const getClient = ({ address }: TestAccount) => mailClient(servers, known.get(address)!.user);

  return {
    driver: emailDriver,
    egress,
    makeAccount,
    async makePeer() {
      const user = await newUser();
      const client = mailClient(servers, user);
      const sent: { to: TestAccount; externalId: string }[] = [];
      const peer: Peer = {
        address: user.address,
        chat: { kind: 'direct', key: user.address, address: user.address },
        sends: ['text', 'image', 'video', 'audio', 'document'],
        async seen() {
          const sights = (await client.read())
            .toSorted((one, other) => (handedOver(one) < handedOver(other) ? -1 : 1))
            .map(getView);
          // What an account has read shows in its mailbox; nobody else is told.
          for (const { to, externalId } of sent) {
            const flags = await getClient(to).flags(externalId);
            if (flags.includes('\\Seen')) sights.push({ kind: 'receipt', externalId, status: 'read' });
          }
          return sights;
        },
        async send(to, { text, file, replyTo }) {
          const externalId = await client.send({
            to: to.address,
            text: text ?? '',
            ...(replyTo === null ? {} : { inReplyTo: `<${replyTo}>`, references: `<${replyTo}>` }),
            attachments: file
              ? [{ content: file.bytes, filename: file.fileName, contentType: file.mimeType }]
              : [],
          });
          await servers.delivered(externalId);
          sent.push({ to, externalId });
          return externalId;
        },
      };
      return peer;
    },
    refused: (account) => ({ ...account, credentials: { user: account.address, password: 'wrong' } }),
    async makeSlowAccount() {
      const account = await makeAccount();
      const { port } = silent.address() as AddressInfo;
      const imap = { host: '127.0.0.1', port, security: 'starttls' };
      return { ...account, settings: { ...(account.settings as object), imap } };
    },
    unknownAddress: REFUSED,
    keptConnection: {
      async cut({ address }) {
        for (const door of known.get(address)!.doors) door.cut();
      },
      async deafen({ address }) {
        for (const door of known.get(address)!.doors) door.mute();
      },
    },
    writeElsewhere: (account, peer, text) =>
      getClient(account).append(
        'Sent',
        `Message-ID: <${randomUUID()}@phone.test>\r\nFrom: ${account.address}\r\nTo: ${peer.address}\r\n\r\n${text}\r\n`,
      ),
    versions: mailServerVersions,
    server: { stop: servers.stopServers, start: servers.startServers },
    sameAddresses: [
      ['Ada@Example.com', ' ada@example.COM '],
      ['ada@bücher.example', 'ada@xn--bcher-kva.example'],
      ['caf\u00e9@example.com', 'CAFE\u0301@example.com'],
    ],
    badAddresses: [
      'ada',
      '@example.com',
      'ada@',
      'a b@example.com',
      'ada@example.com, bob@example.com',
      'Ada <ada@example.com>',
      'ada@example.com\r\nBcc: bob@example.com',
      'a\u202Eb@example.com',
      `${'a'.repeat(1000)}@example.com`,
      `ada@${'a'.repeat(250)}.com`,
    ],
    patience: 20_000,
    async stop() {
      for (const { doors } of known.values()) for (const door of doors) door.close();
      silent.close();
      await egress.close();
      await servers.stop();
    },
  };
}

/**
 * When Postfix took a mail. It may deliver those that wait together in another order: it reads its queue as a directory.
 * @returns its long queue ID, which sorts by time
 */
function handedOver(mail: ParsedMail): string {
  for (const { key, line } of mail.headerLines) {
    const id = key === 'received' && /\(Postfix\)(?: with \S+)?\s+id (\w+)/.exec(line)?.[1];
    if (id) return id;
  }
  throw new Error('Postfix has not taken this mail.');
}

function getView(mail: ParsedMail): Sight {
  const [attachment] = mail.attachments;
  const kind = attachment?.contentType.split('/')[0] ?? 'text';
  const type = kind === 'application' ? 'document' : kind;
  return {
    kind: 'message',
    externalId: mail.messageId!.slice(1, -1),
    type: type as MessageType,
    text: attachment && !mail.text?.trim() ? null : (mail.text ?? '').replace(/\n$/, ''),
    subject: mail.subject ?? null,
    file: attachment ? createHash('sha256').update(attachment.content).digest('hex') : null,
    data: null,
    replyTo: mail.inReplyTo?.slice(1, -1) ?? null,
    mentions: [],
  };
}
