import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { afterEach, describe, expect, test } from 'vitest';
import { createSecretBox } from '../crypto/secret-box.ts';
import { ConfigError, readConfig } from '../config/config.ts';
import { createMailer, MailError, smtpOptions } from './mailer.ts';
import { createSendLater, executeMailJob } from './mail-job.ts';

interface Received {
  from: string;
  to: string[];
  raw: string;
  secure: boolean;
  user: string | undefined;
}

const open: SMTPServer[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await new Promise<void>((resolve) => server.close(resolve));
});

/** A mail server on loopback that keeps what it gets. */
async function startServer(options: SMTPServerOptions = {}) {
  const received: Received[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onAuth: (auth, session, done) => done(null, { user: `${auth.username}:${auth.password}` }),
    onData(stream, session, done) {
      let raw = '';
      stream.on('data', (chunk: Buffer) => (raw += chunk.toString()));
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope;
        received.push({
          from: mailFrom ? mailFrom.address : '',
          to: rcptTo.map(({ address }) => address),
          raw,
          secure: session.secure,
          user: session.user,
        });
        done();
      });
    },
    ...options,
  });
  server.on('error', () => undefined); // a client that distrusts the certificate hangs up
  open.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { received, port: (server.server.address() as AddressInfo).port };
}

const log = { info() {}, error() {} };
const mailerFor = (SMTP_URL: string, more: Record<string, string> = {}) =>
  createMailer({ config: readConfig({ SMTP_URL, ...more }), log });

const MAIL = { to: 'ada@example.com', subject: 'Hello', text: 'plain ünïcode', html: '<p>rich</p>' };

/** The headers of a raw mail, unfolded. */
const toHeaders = (raw: string): string[] =>
  raw
    .split('\r\n\r\n')[0]!
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n');

describe('sending', () => {
  test('delivers text and HTML with the headers of an automatic mail', async () => {
    const { received, port } = await startServer();
    const mailer = mailerFor(`smtp://127.0.0.1:${port}`, { BASE_URL: 'https://fairlead.example' });
    expect(mailer.enabled).toBe(true);
    await mailer.send(MAIL);
    mailer.close();
    expect(received).toHaveLength(1);
    expect(received[0]).toMatchObject({
      from: 'fairlead@fairlead.example',
      to: ['ada@example.com'],
      secure: false,
    });
    const headers = toHeaders(received[0]!.raw);
    expect(headers).toEqual(
      expect.arrayContaining([
        'From: Fairlead <fairlead@fairlead.example>',
        'To: ada@example.com',
        'Subject: Hello',
        'Auto-Submitted: auto-generated',
      ]),
    );
    expect(received[0]!.raw).toContain('multipart/alternative');
    expect(received[0]!.raw).toContain('<p>rich</p>');
  });

  test('MAIL_FROM and credentials of SMTP_URL are used', async () => {
    const { received, port } = await startServer();
    const mailer = mailerFor(`smtp://me%40example.com:p%40ss@127.0.0.1:${port}`, {
      MAIL_FROM: 'Operations <ops@example.org>',
    });
    await mailer.send(MAIL);
    mailer.close();
    expect(received[0]).toMatchObject({ from: 'ops@example.org', user: 'me@example.com:p@ss' });
  });

  test.each([
    ['a second recipient by comma', 'ada@example.com, eve@example.com'],
    ['a second header', 'ada@example.com\r\nBcc: eve@example.com'],
    ['a bare line feed', 'ada@example.com\nBcc: eve@example.com'],
    ['a display name', 'Ada <ada@example.com>'],
    ['a group', 'all:ada@example.com,eve@example.com;'],
    ['a comment', '(x)ada@example.com'],
    ['no address', 'ada'],
    ['nothing', ''],
    ['a very long one', `${'a'.repeat(250)}@example.com`],
  ])('an address with %s is refused before anything is sent', async (_name, to) => {
    const { received, port } = await startServer();
    const mailer = mailerFor(`smtp://127.0.0.1:${port}`);
    await expect(mailer.send({ ...MAIL, to })).rejects.toMatchObject({ permanent: true });
    mailer.close();
    expect(received).toEqual([]);
  });

  test('a subject can not make a header, nor a second mail', async () => {
    const { received, port } = await startServer();
    const mailer = mailerFor(`smtp://127.0.0.1:${port}`);
    await mailer.send({
      ...MAIL,
      subject: 'Hi\r\nBcc: eve@example.com\u2028X: y\r\n.\r\nMAIL FROM:<x@y>',
      text: '.\r\n.\r\nQUIT',
    });
    mailer.close();
    expect(received).toHaveLength(1);
    expect(received[0]!.to).toEqual(['ada@example.com']);
    const headers = toHeaders(received[0]!.raw);
    expect(headers).toContain('Subject: Hi Bcc: eve@example.com X: y . MAIL FROM:<x@y>');
    expect(headers.filter((line) => /^(bcc|x):/i.test(line))).toEqual([]);
  });

  test('a refusal tells whether it is for good', async () => {
    const refuse = (responseCode: number) => ({
      onRcptTo: (_address: unknown, _session: unknown, done: (error: Error) => void) =>
        done(Object.assign(new Error('no'), { responseCode })),
    });
    for (const [code, permanent] of [
      [550, true],
      [451, false],
    ] as const) {
      const { port } = await startServer(refuse(code));
      const mailer = mailerFor(`smtp://127.0.0.1:${port}`);
      const error = await mailer.send(MAIL).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(MailError);
      expect(error).toMatchObject({ permanent });
      mailer.close();
    }
    const nobody = mailerFor('smtp://127.0.0.1:1');
    await expect(nobody.send(MAIL)).rejects.toMatchObject({ permanent: false });
  });

  test('without SMTP_URL there is no mail', async () => {
    const mailer = createMailer({ config: readConfig({}), log });
    expect(mailer.enabled).toBe(false);
    await expect(mailer.send(MAIL)).rejects.toThrow('SMTP_URL');
  });
});

describe('TLS', () => {
  test('a certificate that nobody vouches for is not accepted', async () => {
    const { received, port } = await startServer({ secure: true }); // with the package's own self-signed one
    const mailer = mailerFor(`smtps://localhost:${port}`);
    await expect(mailer.send(MAIL)).rejects.toThrow(/certificate/);
    mailer.close();
    expect(received).toEqual([]);
  });

  test('is required off loopback, unless SMTP_URL lets it be optional', () => {
    expect(smtpOptions('smtp://mail.example.com')).toMatchObject({
      host: 'mail.example.com',
      port: 587,
      secure: false,
      requireTLS: true,
      ignoreTLS: false,
      tls: { rejectUnauthorized: true },
    });
    expect(smtpOptions('smtps://mail.example.com')).toMatchObject({ port: 465, secure: true });
    expect(smtpOptions('smtp://relay.internal:25?tls=optional')).toMatchObject({ requireTLS: false });
    expect(smtpOptions('smtp://localhost:1025')).toMatchObject({ requireTLS: false, ignoreTLS: true });
    expect(smtpOptions('smtp://[::1]:1025')).toMatchObject({ host: '::1', ignoreTLS: true });
    expect(() => smtpOptions('smtp://mail.example.com?tls=off')).toThrow(ConfigError);
  });

  test('a server off loopback that offers none gets neither password nor mail', async () => {
    const { received, port } = await startServer();
    const options = smtpOptions(`smtp://me:secret@mail.example.com:${port}`);
    const { createTransport } = await import('nodemailer');
    const transport = createTransport({ ...options, host: '127.0.0.1' });
    const sending = transport.sendMail({ from: 'a@example.com', to: 'b@example.com', text: 'x' });
    await expect(sending).rejects.toThrow(/STARTTLS/i);
    transport.close();
    expect(received).toEqual([]);
  });
});

describe('the job', () => {
  const secrets = createSecretBox('a secret for tests, 32 characters long');

  test('holds nothing in clear, and sends what was left', async () => {
    const { received, port } = await startServer();
    const mailer = mailerFor(`smtp://127.0.0.1:${port}`);
    const jobs: { name: string; payload: { sealed: string } }[] = [];
    const queue = {
      enqueue: async (_db: unknown, name: string, payload: unknown) =>
        void jobs.push({ name, payload } as never),
    };
    await createSendLater(secrets, queue as never)(null as never, MAIL, { isUrgent: true });
    expect(jobs[0]!.name).toBe('mail.send');
    for (const clear of ['ada@example.com', 'Hello', 'rich'])
      expect(JSON.stringify(jobs)).not.toContain(clear);
    await executeMailJob({ secrets, mailer, log }, jobs[0]!.payload);
    mailer.close();
    expect(received[0]!.to).toEqual(['ada@example.com']);
    const others = createSecretBox('another secret that is long enough too');
    await expect(executeMailJob({ secrets: others, mailer, log }, jobs[0]!.payload)).rejects.toThrow(
      'another key',
    );
  });

  test('is tried again where that may help, and else told to the log', async () => {
    const sealed = secrets.seal(JSON.stringify(MAIL), 'mail.send');
    const failing = (permanent: boolean) => ({
      enabled: true,
      send: () => Promise.reject(new MailError('no', permanent)),
      close() {},
    });
    const told: string[] = [];
    const keep = { error: (_details: object, message: string) => void told.push(message) };
    await expect(executeMailJob({ secrets, mailer: failing(false), log: keep }, { sealed })).rejects.toThrow(
      'no',
    );
    expect(told).toEqual([]);
    await executeMailJob({ secrets, mailer: failing(true), log: keep }, { sealed });
    expect(told).toHaveLength(1);
  });
});
