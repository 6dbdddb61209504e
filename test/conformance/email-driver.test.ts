/** The driver against Dovecot and Postfix; at the other end is a client of its own. */
import { Readable } from 'node:stream';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { PATIENCE } from '../support/patience.ts';
import { createEgress, type Egress } from '../../src/platform/egress/egress.ts';
import { allowing } from '../support/egress.ts';
import { needs } from '../support/needs.ts';
import type { OutboundMessage } from '../../src/channels/contract/connection.ts';
import type { Receipt } from '../../src/channels/contract/signal.ts';
import {
  type Account,
  type AccountOptions,
  openAccount,
  outbound,
} from '../support/channels/email/account.ts';
import { mailClient, type MailClient } from '../support/channels/email/mail-client.ts';
import { LATER, REFUSED } from '../support/channels/email/mail-server-configs.ts';
import {
  HAS_MAIL_SERVERS,
  MAIL_SERVERS,
  type MailServers,
  type MailUser,
  startMailServers,
} from '../support/channels/email/mail-servers.ts';

const never = new AbortController().signal;

describe('email', needs(MAIL_SERVERS, HAS_MAIL_SERVERS), () => {
  let servers: MailServers;
  let egress: Egress;
  let count = 0;

  beforeAll(async () => {
    servers = await startMailServers();
    egress = createEgress({ allow: allowing('127.0.0.1'), tls: { ca: servers.ca } });
  });
  afterAll(async () => {
    await egress?.close();
    await servers?.stop();
  });

  const newUser = () => servers.addUser(`user${(count += 1)}`);
  const open = async (user: MailUser, options: Partial<AccountOptions> = {}): Promise<Account> => {
    const account = await openAccount({ egress, servers, user, ...options });
    onTestFinished(() => account.connection.close());
    return account;
  };
  /** An account that is connected, and somebody who writes to it. */
  const pair = async (options: Partial<AccountOptions> = {}) => {
    const [user, peer] = [await newUser(), await newUser()];
    const account = await open(user, options);
    return { user, peer, account, client: mailClient(servers, peer) };
  };
  const toError = async (work: Promise<unknown>) => {
    const outcome = await work.then(
      () => 'it went through',
      (error: { kind: string; code: string }) => ({ kind: error.kind, code: error.code }),
    );
    return outcome;
  };
  const heads = (client: MailClient, text: string) =>
    client.sees((mail) => mail.text?.includes(text) ?? false);

  test('sends a text, which another client reads as it was written', async () => {
    const { account, user, peer, client } = await pair({ settings: { display_name: 'Ada, "the" Löwe' } });
    const message = outbound(peer.address, { text: 'Grüße 灯台\n.\nlast', subject: 'Über 灯台' });
    const result = await account.connection.send(message, never);
    expect(result).toMatchObject({ status: 'sent', externalId: `${message.clientId}@${servers.domain}` });
    const mail = await heads(client, 'Grüße');
    expect(mail).toMatchObject({ messageId: `<${result.externalId}>`, subject: 'Über 灯台' });
    expect(mail.text?.trim()).toBe('Grüße 灯台\n.\nlast');
    expect(mail.from?.value).toEqual([{ address: user.address, name: 'Ada, "the" Löwe' }]);
    expect(mail.headers.get('auto-submitted')).toBeUndefined();
  });

  test.each(['starttls', 'none'])('speaks to servers with %s', async (security) => {
    const { imap, smtp } = servers;
    const { account, peer, client } = await pair({
      settings: {
        imap: { host: imap.host, port: imap.port, security },
        smtp: { host: smtp.host, port: smtp.port, security },
      },
    });
    await account.connection.send(outbound(peer.address, { text: security }), never);
    const { messageId } = await heads(client, security);
    const answer = await client.send({
      to: account.connection.address!,
      text: 'answer',
      inReplyTo: messageId,
    });
    expect((await account.hearsMessage(({ externalId }) => externalId === answer)).text).toBe('answer');
  });

  test('hears a mail by itself, soon', async () => {
    const { account, user, peer, client } = await pair({ settings: { poll_seconds: 3600 } });
    await vi.waitFor(async () => expect(account.position()).not.toBeNull(), PATIENCE);
    const id = await client.send({
      to: user.address,
      from: { name: 'Bøb', address: peer.address },
      subject: 'Hi',
      text: 'one\n\ntwo',
    });
    const message = await account.hearsMessage(({ externalId }) => externalId === id);
    expect(message).toMatchObject({
      chat: { kind: 'direct', key: id, address: peer.address, title: 'Hi' },
      from: peer.address,
      fromName: 'Bøb',
      fromMe: false,
      to: user.address,
      type: 'text',
      text: 'one\n\ntwo',
      file: null,
      data: null,
      subject: 'Hi',
      replyTo: null,
    });
  });

  test('keeps a thread together: replies here, replies there, one chat', async () => {
    const { account, user, peer, client } = await pair();
    const first = outbound(peer.address, { text: 'question', subject: 'Order 7' });
    const { externalId } = await account.connection.send(first, never);
    const question = await heads(client, 'question');
    const reply = await client.send({
      to: user.address,
      subject: 'Re: Order 7',
      text: 'their answer',
      inReplyTo: question.messageId,
      references: question.messageId,
    });
    const heard = await account.hearsMessage((message) => message.externalId === reply);
    expect(heard).toMatchObject({ chat: { key: first.clientId, title: 'Order 7' }, replyTo: { externalId } });
    await account.connection.send(
      outbound(peer.address, {
        text: 'our answer',
        subject: 'Re: Order 7',
        chat: { kind: 'direct', key: first.clientId, address: peer.address },
        replyTo: { clientId: null, externalId: reply, fromMe: false, author: peer.address },
        references: [externalId!, reply],
      }),
      never,
    );
    const answer = await heads(client, 'our answer');
    expect(answer.inReplyTo).toBe(`<${reply}>`);
    expect(answer.references).toEqual([`<${externalId}>`, `<${reply}>`]);
  });

  test('makes text of HTML, and runs nothing of it', async () => {
    const { account, user, client } = await pair();
    const html =
      '<style>p{}</style><script>x()</script><p>Dear <b>you</b>,</p><p>see <a href="https://example.com/a">this</a></p><img src="https://example.com/pixel">';
    const id = await client.send({ to: user.address, html });
    const { text } = await account.hearsMessage(({ externalId }) => externalId === id);
    expect(text).toBe('Dear you,\n\nsee this [https://example.com/a]');
  });

  test('sends and receives files, with names of any kind', async () => {
    const { account, user, peer, client } = await pair();
    const content = Buffer.from(Array.from({ length: 700_000 }, (_, index) => (index * 7) % 251));
    const file = {
      mimeType: 'application/pdf',
      size: content.length,
      fileName: 'Übersicht "灯台";\r\nX-Evil: 1.pdf',
      type: 'document' as const,
      open: async () => Readable.from([content.subarray(0, 1000), content.subarray(1000)]),
      url: 'http://localhost/none',
    };
    const message: OutboundMessage = outbound(peer.address, {
      type: 'document',
      content: { text: 'see the file', file, data: null },
    });
    await account.connection.send(message, never);
    const mail = await heads(client, 'see the file');
    expect(mail.headers.get('x-evil')).toBeUndefined();
    expect(mail.attachments).toHaveLength(1);
    expect(mail.attachments[0]).toMatchObject({
      filename: 'Übersicht "灯台"; X-Evil: 1.pdf',
      contentType: 'application/pdf',
    });
    expect(mail.attachments[0]!.content.equals(content)).toBe(true);

    const id = await client.send({
      to: user.address,
      text: 'two files',
      attachments: [
        { filename: 'größer 灯.png', content: content.subarray(0, 300_000), contentType: 'image/png' },
        { filename: 'b.csv', content: 'a;b\n1;ü\n', contentType: 'text/csv' },
      ],
    });
    const first = await account.hearsMessage(({ externalId }) => externalId === id);
    const second = await account.hearsMessage(({ externalId }) => externalId === `${id}/2`);
    expect([first.type, first.text, second.type, second.text]).toEqual([
      'image',
      'two files',
      'document',
      null,
    ]);
    // The email itself is kept as well.
    const files = [...account.files.values()].filter(({ mimeType }) => mimeType !== 'message/rfc822');
    expect(files.map(({ fileName, mimeType }) => [fileName, mimeType])).toEqual([
      ['größer 灯.png', 'image/png'],
      ['b.csv', 'text/csv'],
    ]);
    expect(files[0]!.content.equals(content.subarray(0, 300_000))).toBe(true);
    expect(files[1]!.content.toString()).toBe('a;b\n1;ü\n');
  });

  test('a bounce fails the message that it is about', async () => {
    const { account } = await pair();
    const message = outbound(`nobody@${servers.domain}`);
    await account.connection.send(message, never);
    const receipt = await account.hears((signal): signal is Receipt => signal.kind === 'receipt');
    expect(receipt).toMatchObject({
      clientId: message.clientId,
      status: 'failed',
      error: { code: 'recipient_unknown' },
    });
    expect(receipt.error!.detail).toContain("User doesn't exist");
    expect(account.signals).toHaveLength(1);
  });

  test('tells refusals for good from refusals for now', async () => {
    const { account } = await pair();
    const send = (to: string) => toError(account.connection.send(outbound(to), never));
    expect(await send(REFUSED)).toEqual({ kind: 'rejected', code: 'recipient_unknown' });
    expect(await send(LATER)).toEqual({ kind: 'busy', code: 'try_later' });
    expect(await send('somebody@example.com')).toEqual({ kind: 'rejected', code: 'not_allowed' });
    const file = {
      mimeType: 'video/mp4',
      size: 300_000_000,
      fileName: 'a',
      type: 'video' as const,
      url: '',
      open: async () => Readable.from([]),
    };
    const large = outbound(REFUSED, { type: 'video', content: { text: null, file, data: null } });
    expect(await toError(account.connection.send(large, never))).toEqual({
      kind: 'rejected',
      code: 'too_large',
    });
  });

  test('refuses wrong credentials, unknown folders, inner addresses and strange certificates', async () => {
    const user = await newUser();
    const opening = (options: Partial<AccountOptions>) =>
      toError(openAccount({ egress, servers, user, ...options }));
    const failed = { kind: 'refused', code: 'authentication_failed' };
    expect(await opening({ credentials: { password: 'wrong' } })).toEqual(failed);
    expect(await opening({ credentials: { smtp_password: 'wrong' } })).toEqual(failed);
    expect(await opening({ settings: { folder: 'Nowhere' } })).toEqual({
      kind: 'refused',
      code: 'folder_not_found',
    });
    const strict = createEgress({ allow: [], tls: { ca: servers.ca } });
    const distrustful = createEgress({ allow: allowing('127.0.0.1') });
    onTestFinished(async () => void (await Promise.all([strict.close(), distrustful.close()])));
    expect(await opening({ egress: strict })).toEqual({ kind: 'refused', code: 'address_not_allowed' });
    expect(await opening({ egress: distrustful })).toEqual({ kind: 'lost', code: 'tls_failed' });
    const { imap } = servers;
    const starttls = { imap: { host: imap.host, port: imap.port, security: 'starttls' } };
    expect(await opening({ egress: distrustful, settings: starttls })).toEqual({
      kind: 'lost',
      code: 'tls_failed',
    });
  });

  test('goes on where it stood: what came meanwhile arrives once', async () => {
    const { account, user, client } = await pair();
    const before = await client.send({ to: user.address, text: 'before' });
    await account.hearsMessage(({ externalId }) => externalId === before);
    await account.connection.close();
    const meanwhile = [];
    for (const text of ['one', 'two', 'three']) meanwhile.push(await client.send({ to: user.address, text }));
    await mailClient(servers, user).sees(({ text }) => text?.trim() === 'three');
    const again = await open(user, { position: account.position() });
    for (const id of meanwhile) await again.hearsMessage(({ externalId }) => externalId === id);
    expect(again.signals.map((signal) => signal.kind === 'message' && signal.externalId).toSorted()).toEqual(
      meanwhile.toSorted(),
    );
  });

  test('begins at the present end, or as many days back as the settings say', async () => {
    const [user, peer] = [await newUser(), await newUser()];
    const client = mailClient(servers, peer);
    const old = await client.send({ to: user.address, text: 'old' });
    await mailClient(servers, user).sees(({ text }) => text?.trim() === 'old');
    const [present, past] = [await open(user), await open(user, { settings: { history_days: 1 } })];
    const fresh = await client.send({ to: user.address, text: 'fresh' });
    await present.hearsMessage(({ externalId }) => externalId === fresh);
    await past.hearsMessage(({ externalId }) => externalId === fresh);
    expect(present.signals).toHaveLength(1);
    await past.hearsMessage(({ externalId }) => externalId === old);
  });

  test('reads again, once, where UIDs have lost their meaning', async () => {
    const { account, user, client } = await pair();
    const known = await client.send({ to: user.address, text: 'known' });
    await account.hearsMessage(({ externalId }) => externalId === known);
    await account.connection.close();
    const late = await client.send({ to: user.address, text: 'late' });
    await mailClient(servers, user).sees(({ text }) => text?.trim() === 'late');
    await servers.stopServers();
    for (const name of ['dovecot-uidlist', 'dovecot.index.log', 'dovecot.index', 'dovecot.index.cache'])
      await rm(join(user.maildir, name), { force: true });
    await servers.startServers();
    const again = await open(user, { position: account.position() });
    await again.hearsMessage(({ externalId }) => externalId === late);
    await again.hearsMessage(({ externalId }) => externalId === known); // the product knows it by its ID
    const validity = ({ position }: Account) =>
      (position() as { folders: Record<string, { uid_validity: string }> }).folders['INBOX']!.uid_validity;
    expect(validity(again)).not.toBe(validity(account));
  });

  test('finds what the account wrote elsewhere, and what it sent through us', async () => {
    const { account, user, peer } = await pair({ settings: { poll_seconds: 1, save_sent: true } });
    const elsewhere = mailClient(servers, user);
    const source = `Message-ID: <elsewhere@here.test>\r\nFrom: ${user.address}\r\nTo: ${peer.address}\r\nSubject: S\r\n\r\nby phone`;
    await elsewhere.append('Sent', source);
    const own = await account.hearsMessage(({ text }) => text === 'by phone');
    expect(own).toMatchObject({
      fromMe: true,
      clientId: null,
      chat: { address: peer.address },
      to: peer.address,
    });
    const message = outbound(peer.address, { text: 'by us' });
    const { externalId } = await account.connection.send(message, never);
    const copy = await account.hearsMessage(({ text }) => text === 'by us');
    expect(copy).toMatchObject({ fromMe: true, externalId, clientId: message.clientId });
    expect((await elsewhere.sees(({ text }) => text?.trim() === 'by us', 'Sent')).messageId).toBe(
      `<${externalId}>`,
    );
  });

  test('believes nobody in the inbox that the account wrote it', async () => {
    const { account, user, client } = await pair();
    const forge = async (messageId: string) => {
      await client.send({
        from: user.address,
        to: user.address,
        text: 'pay me',
        messageId: `<${messageId}>`,
      });
      return account.hearsMessage(({ externalId }) => externalId === messageId);
    };
    const forged = { fromMe: false, from: user.address, to: user.address, chat: { address: user.address } };
    expect(await forge('forged@mail.test')).toMatchObject({ ...forged, clientId: null });
    // In the form of our own ids: whether there is such a message, the product knows.
    const clientId = `msg_${'7'.repeat(26)}`;
    expect(await forge(`${clientId}@${servers.domain}`)).toMatchObject({ ...forged, clientId });
  });

  test('marks what no person wrote', async () => {
    const { account, user, client } = await pair();
    const automatic = async (headers: Record<string, string>) => {
      const id = await client.send({ to: user.address, text: 'x', headers });
      return (await account.hearsMessage(({ externalId }) => externalId === id)).automatic;
    };
    expect(await automatic({ 'Auto-Submitted': 'auto-replied' })).toBe('auto_replied');
    expect(await automatic({ 'Auto-Submitted': 'auto-generated' })).toBe('auto_generated');
    expect(await automatic({ 'List-Id': '<list.example.com>' })).toBe('list');
    expect(await automatic({ Precedence: 'bulk' })).toBe('auto_generated');
    expect(await automatic({ 'Auto-Submitted': 'no' })).toBeNull();
  });

  test('marks a mail and its thread as read', async () => {
    const { account, user, client } = await pair();
    const first = await client.send({ to: user.address, text: '1' });
    const second = await client.send({
      to: user.address,
      text: '2',
      inReplyTo: `<${first}>`,
      references: `<${first}>`,
    });
    const other = await client.send({ to: user.address, text: '3' });
    const message = await account.hearsMessage(({ externalId }) => externalId === second);
    await account.hearsMessage(({ externalId }) => externalId === other);
    const reference = { clientId: null, externalId: second, fromMe: false, author: null };
    await account.connection.markRead!(message.chat, reference, never);
    const mailbox = mailClient(servers, user);
    expect(await mailbox.flags(first)).toContain('\\Seen');
    expect(await mailbox.flags(second)).toContain('\\Seen');
    expect(await mailbox.flags(other)).not.toContain('\\Seen');
  });

  test('tells when the server is gone', async () => {
    const { account, peer } = await pair();
    await account.connection.probe(AbortSignal.timeout(10_000));
    await servers.killServers();
    onTestFinished(() => servers.startServers());
    await vi.waitFor(() => expect(account.ended()).toMatchObject({ kind: 'lost' }), PATIENCE);
    expect(await toError(account.connection.probe(AbortSignal.timeout(1000)))).toMatchObject({
      kind: 'lost',
    });
    expect(await toError(account.connection.send(outbound(peer.address), never))).toMatchObject({
      kind: 'lost',
    });
  });

  test('a file is sent as it is read, never whole in memory', async () => {
    const { account, peer, client } = await pair();
    const size = 30_000_000;
    const piece = Buffer.alloc(100_000, 'x');
    let ahead = 0;
    const file = {
      mimeType: 'application/octet-stream',
      size,
      fileName: 'large.bin',
      type: 'document' as const,
      url: '',
      open: async () =>
        Readable.from(
          (async function* () {
            for (let sent = 0; sent < size; sent += piece.length) {
              ahead += 1;
              yield piece;
            }
          })(),
        ),
    };
    await account.connection.send(
      outbound(peer.address, { type: 'document', content: { text: 'large', file, data: null } }),
      never,
    );
    expect(ahead).toBe(300);
    const mail = await heads(client, 'large');
    expect(mail.attachments[0]!.size).toBe(size);
  });
});
