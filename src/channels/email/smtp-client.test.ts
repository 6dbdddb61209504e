/** The outcome of a mail when the server disconnects while it is sent, and the reuse of connections. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { expect, onTestFinished, test } from 'vitest';
import { allowing, startEgress } from '../../../test/support/egress.ts';
import { createSmtpClient, type SmtpClient } from './smtp-client.ts';

const never = new AbortController().signal;
/** Shared by all mails and frozen, because the library writes to the envelope that it gets. */
const ENVELOPE = Object.freeze({ from: 'a@here.test', to: ['b@there.test'], size: 100 });

interface Server {
  client: SmtpClient;
  connections(): number;
  /** Destroys all connections. */
  cut(): void;
}

async function start(options: SMTPServerOptions = {}): Promise<Server> {
  let connections = 0;
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onAuth: (auth, _session, done) => done(null, { user: auth.username }),
    onConnect: (_session, done) => {
      connections += 1;
      done();
    },
    onData: (stream, _session, done) => void stream.on('end', done).resume(),
    closeTimeout: 10,
    ...options,
  });
  server.on('error', () => {});
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.server.address() as AddressInfo;
  const client = createSmtpClient(
    startEgress({ allow: allowing('127.0.0.1') }),
    { host: '127.0.0.1', port, security: 'none' },
    { user: 'a', password: 'b' },
    'here.test',
  );
  const cut = (): void => {
    for (const connection of server.connections) (connection as { _socket: Readable })._socket.destroy();
  };
  onTestFinished(() => {
    client.close();
    server.close();
  });
  return { client, connections: () => connections, cut };
}

const send = (client: SmtpClient, source: Readable = Readable.from(['Subject: x\r\n\r\nx'])) =>
  client.send(ENVELOPE, source, never).then(
    () => 'sent',
    ({ kind, code }: { kind: string; code: string }) => `${kind} ${code}`,
  );

test('a mail that was fully sent but not acknowledged has an unknown outcome', async () => {
  const { client, cut } = await start({ onData: (stream) => void stream.on('end', cut_).resume() });
  function cut_() {
    cut();
  }
  expect(await send(client)).toBe('unknown no_acknowledgement');
});

test('a mail that was partly sent fails as lost', async () => {
  const { client, cut } = await start();
  const source = Readable.from(
    (async function* () {
      yield 'Subject: x\r\n\r\n';
      yield 'x'.repeat(100_000);
      cut();
      await new Promise(() => {}); // the rest is never sent
    })(),
  );
  expect(await send(client, source)).toBe('lost connection_lost');
});

test('an unreadable file fails the mail, and the server never gets a partial mail as complete', async () => {
  let whole = 0;
  const { client } = await start({
    onData: (stream, _session, done) =>
      void stream
        .on('end', () => {
          whole += 1;
          done();
        })
        .resume(),
  });
  const source = Readable.from(
    (async function* () {
      yield 'Subject: x\r\n\r\nfirst half';
      throw new Error('the disk is gone');
    })(),
  );
  expect(await send(client, source)).toBe('busy file_unavailable');
  expect(await send(client)).toBe('sent');
  expect(whole).toBe(1);
});

test('rejections are converted to kinds and codes', async () => {
  const refuse = (responseCode: number, message: string) =>
    start({
      onRcptTo: (_address, _session, done) => done(Object.assign(new Error(message), { responseCode })),
    });
  const kinds = [];
  for (const [code, message] of [
    [550, '5.1.1 no such user'],
    [550, 'no such user'],
    [552, '5.2.2 full'],
    [550, '5.4.5 Daily user sending limit exceeded'],
    [554, '5.7.1 not for you'],
    [450, '4.2.0 greylisted'],
    [421, '4.3.0 closing'],
  ] as const)
    kinds.push(await send((await refuse(code, message)).client));
  expect(kinds).toEqual([
    'rejected recipient_unknown',
    'rejected recipient_unknown',
    'rejected mailbox_full',
    'restricted sending_limit',
    'rejected not_allowed',
    'busy try_later',
    'lost server_unavailable',
  ]);
});

test('a temporary login failure is not reported as a wrong password', async () => {
  const login = async (responseCode: number) => {
    const { client } = await start({
      onAuth: (_auth, _session, done) => done(Object.assign(new Error('no'), { responseCode })),
    });
    return send(client);
  };
  expect(await login(535)).toBe('refused authentication_failed');
  expect(await login(454)).toBe('lost server_unavailable');
});

test('a connection is reused for later mails unless it has ended', async () => {
  const { client, connections, cut } = await start();
  await client.verify(never);
  expect([await send(client), await send(client)]).toEqual(['sent', 'sent']);
  expect(connections()).toBe(1);
  cut();
  expect(await send(client)).toBe('sent');
  expect(connections()).toBe(2);
  expect(await Promise.all([1, 2, 3, 4, 5, 6].map(() => send(client)))).toEqual(Array(6).fill('sent'));
});

test('a canceled call ends immediately', async () => {
  const { client } = await start({ onData: (stream) => void stream.resume() }); // never responds
  const controller = new AbortController();
  const source = Readable.from(['Subject: x\r\n\r\nx']);
  const sent = client.send(ENVELOPE, source, controller.signal);
  source.once('end', () => controller.abort());
  await expect(sent).rejects.toMatchObject({ kind: 'unknown' });
});

test('the client greets with the account’s domain, not the name of the machine', async () => {
  const names: string[] = [];
  const { client } = await start({
    onAuth: (auth, session, done) => {
      names.push((session as unknown as { hostNameAppearsAs: string }).hostNameAppearsAs);
      done(null, { user: auth.username });
    },
  });
  expect(await send(client)).toBe('sent');
  expect(names).toEqual(['here.test']);
});

test('the text of a server before login is not reported', async () => {
  const { client } = await start({
    onConnect: (_session, done) =>
      done(Object.assign(new Error('a secret of the inside'), { responseCode: 554 })),
  });
  const fault = await client.verify(never).catch((error: Error) => error);
  expect(fault).toMatchObject({ message: expect.stringContaining('before any login') });
});
