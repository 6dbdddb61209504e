/** The other end: a correspondent of a mail program that knows nothing of the product. */
import { ImapFlow } from 'imapflow';
import { type ParsedMail, simpleParser } from 'mailparser';
import type { SendMailOptions } from 'nodemailer';
import { expect, vi } from 'vitest';
import { PATIENCE } from '../../patience.ts';
import { type MailServers, type MailUser, getTransport } from './mail-servers.ts';

export interface MailClient {
  /** @returns the Message-ID without brackets */
  send(mail: SendMailOptions): Promise<string>;
  /** All mails of a folder, oldest first. */
  read(folder?: string): Promise<ParsedMail[]>;
  /** The newest mail of a folder that `matches`, once there is one. */
  sees(matches: (mail: ParsedMail) => boolean, folder?: string): Promise<ParsedMail>;
  /** Puts a mail into a folder, as a mail program does with what it has sent. */
  append(folder: string, source: string | Buffer): Promise<void>;
  appendAll(folder: string, sources: Buffer[]): Promise<void>;
  /** The flags of a mail of the inbox. */
  flags(messageId: string): Promise<string[]>;
}

export function mailClient(servers: MailServers, user: MailUser): MailClient {
  const auth = { user: user.address, pass: user.password };
  const tls = { ca: servers.ca };
  const imap = async <T>(work: (client: ImapFlow) => Promise<T>): Promise<T> => {
    const { host, tlsPort: port } = servers.imap;
    const client = new ImapFlow({ host, port, secure: true, tls, auth, logger: false });
    client.on('error', () => {});
    await client.connect();
    try {
      return await work(client);
    } finally {
      client.close();
    }
  };
  const read = (folder = 'INBOX') =>
    imap(async (client) => {
      const { exists } = await client.mailboxOpen(folder);
      const mails: ParsedMail[] = [];
      if (exists === 0) return mails;
      for await (const { source } of client.fetch('1:*', { source: true }))
        mails.push(await simpleParser(source!, { keepDeliveryStatus: true }));
      return mails;
    });
  return {
    read,
    async send(mail) {
      const { messageId } = await getTransport(servers, user).sendMail({ from: user.address, ...mail });
      return messageId.slice(1, -1);
    },
    sees: (matches, folder) =>
      vi.waitFor(async () => {
        const found = (await read(folder)).findLast(matches);
        expect(found).toBeDefined();
        return found!;
      }, PATIENCE),
    appendAll: (folder, sources) =>
      imap(async (client) => {
        for (const source of sources) await client.append(folder, source, ['\\Seen']);
      }),
    append: (folder, source) =>
      imap(async (client) => void (await client.append(folder, source, ['\\Seen']))),
    flags: (messageId) =>
      imap(async (client) => {
        await client.mailboxOpen('INBOX');
        const found = await client.search({ header: { 'message-id': `<${messageId}>` } }, { uid: true });
        const mail = await client.fetchOne(String((found || [])[0]), { flags: true }, { uid: true });
        return mail ? [...mail.flags!] : [];
      }),
  };
}
