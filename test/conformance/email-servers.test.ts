/** The mail servers of the tests, tried with clients that know nothing of the product. */
import { ImapFlow } from 'imapflow';
import { createTransport } from 'nodemailer';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { PATIENCE } from '../support/patience.ts';
import { needs } from '../support/needs.ts';
import { LATER, REFUSED } from '../support/channels/email/mail-server-configs.ts';
import {
  HAS_MAIL_SERVERS,
  MAIL_SERVERS,
  type MailServers,
  type MailUser,
  startMailServers,
} from '../support/channels/email/mail-servers.ts';

describe('the mail servers', needs(MAIL_SERVERS, HAS_MAIL_SERVERS), () => {
  let servers: MailServers;
  let alice: MailUser;
  let bob: MailUser;

  beforeAll(async () => {
    servers = await startMailServers();
    alice = await servers.addUser('alice');
    bob = await servers.addUser('bob');
  });
  afterAll(() => servers?.stop());

  const smtp = (user: MailUser, { tls = true, password = user.password } = {}) => {
    const { host, port, tlsPort } = servers.smtp;
    return createTransport({
      host,
      port: tls ? tlsPort : port,
      secure: tls,
      requireTLS: !tls,
      auth: { user: user.address, pass: password },
      tls: { ca: servers.ca },
    });
  };
  const imap = (user: MailUser, { tls = true, password = user.password } = {}) => {
    const { host, port, tlsPort } = servers.imap;
    return new ImapFlow({
      host,
      port: tls ? tlsPort : port,
      secure: tls,
      doSTARTTLS: tls ? undefined : true,
      auth: { user: user.address, pass: password },
      tls: { ca: servers.ca },
      logger: false,
    });
  };
  /** The newest mail's source once it holds `text`. */
  const newest = (user: MailUser, text: string, tls?: boolean) =>
    vi.waitFor(async () => {
      const client = imap(user, { tls });
      await client.connect();
      try {
        await client.mailboxOpen('INBOX');
        const found = await client.fetchOne('*', { source: true });
        const source = found ? found.source!.toString() : '';
        expect(source).toContain(text);
        return source;
      } finally {
        await client.logout();
      }
    }, PATIENCE);

  test.each([true, false])('take a mail and give it out; TLS from the start: %s', async (tls) => {
    const text = `by TLS ${tls}`;
    await smtp(alice, { tls }).sendMail({ from: alice.address, to: bob.address, text });
    expect(await newest(bob, text, tls)).toContain(`From: ${alice.address}`);
  });

  test('refuse a wrong password, and clients that do not know their certificate', async () => {
    await expect(smtp(alice, { password: 'wrong' }).verify()).rejects.toMatchObject({ code: 'EAUTH' });
    await expect(imap(alice, { password: 'wrong' }).connect()).rejects.toMatchObject({
      authenticationFailed: true,
    });
    const { host, tlsPort } = servers.smtp;
    await expect(createTransport({ host, port: tlsPort, secure: true }).verify()).rejects.toThrow(
      /certificate/,
    );
  });

  test('bounce what is for nobody, and name the mail', async () => {
    const messageId = '<original@here.test>';
    await smtp(alice).sendMail({ messageId, from: alice.address, to: `nobody@${servers.domain}`, text: 'x' });
    const source = await newest(alice, 'multipart/report');
    expect(source).toContain('Status: 5.1.1');
    expect(source).toContain(messageId);
  });

  test('refuse at once, and let nothing out', async () => {
    const refusal = (to: string) =>
      smtp(alice)
        .sendMail({ from: alice.address, to, text: 'x' })
        .then(
          () => 0,
          (error: { responseCode: number }) => error.responseCode,
        );
    expect(await refusal(REFUSED)).toBe(550);
    expect(await refusal(LATER)).toBe(451);
    expect(await refusal('somebody@example.com')).toBe(554);
  });

  test('keep accounts and mail over a stop and over a kill', async () => {
    await smtp(alice).sendMail({ from: alice.address, to: bob.address, text: 'kept' });
    await newest(bob, 'kept');
    await servers.stopServers();
    await expect(smtp(alice).verify()).rejects.toMatchObject({ code: 'ESOCKET' });
    await servers.startServers();
    await newest(bob, 'kept');
    await servers.killServers();
    await expect(imap(bob).connect()).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    await servers.startServers();
    await newest(bob, 'kept');
  });
});
