/**
 * Dovecot and Postfix for tests: Debian's own programs, private configurations, on loopback. Mail goes from one account to
 * another and nowhere else. They need root, as they do in production: each of their processes takes the account that it
 * is meant to have.
 *
 *     describe('…', needs(MAIL_SERVERS, HAS_MAIL_SERVERS), () => { … servers = await startMailServers(); … await servers.stop(); });
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, chown, mkdir, readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { createTransport } from 'nodemailer';
import { CERTIFICATE, PRIVATE_KEY } from '../../egress.ts';
import { freePort } from '../../free-port.ts';
import { temporaryFolder } from '../../temporary-folder.ts';
import { DOMAIN, dovecotConfig, type MailPorts, postfixMain, postfixMaster } from './mail-server-configs.ts';
import { type Supervised, supervise } from '../../supervised.ts';

const DOVECOT = '/usr/sbin/dovecot';
const POSTFIX = '/usr/lib/postfix/sbin/master';
const PROGRAMS = [DOVECOT, POSTFIX, '/usr/lib/dovecot/imap', '/usr/lib/dovecot/lmtp'];

export const MAIL_SERVERS = 'Dovecot and Postfix (dovecot-imapd, dovecot-lmtpd, postfix), and root';
export const HAS_MAIL_SERVERS = process.getuid?.() === 0 && PROGRAMS.every((path) => existsSync(path));

/** Returns each program's name and version. */
export async function mailServerVersions(): Promise<Record<string, string>> {
  const run = promisify(execFile);
  const [dovecot, postfix] = await Promise.all([
    run(DOVECOT, ['--version']),
    run('/usr/sbin/postconf', ['-d', '-h', 'mail_version']),
  ]);
  return { Dovecot: dovecot.stdout.split(' ')[0]!.trim(), Postfix: postfix.stdout.trim() };
}

const READY_WITHIN_MS = 120_000;
const POLL_MS = 20;
const HOST = '127.0.0.1';
/** Folders of Postfix's queue and who may enter them. */
const QUEUE_FOLDERS = {
  0o700: [
    'active',
    'bounce',
    'corrupt',
    'defer',
    'deferred',
    'flush',
    'hold',
    'incoming',
    'private',
    'saved',
    'trace',
  ],
  0o730: ['maildrop'],
  0o710: ['public'],
};

export interface MailUser {
  address: string;
  password: string;
  /** The folder of the account's mail, as Maildir. */
  maildir: string;
}

/** `port` speaks plainly and offers STARTTLS; `tlsPort` speaks TLS from the start. */
interface MailHost {
  host: string;
  port: number;
  tlsPort: number;
}

export interface MailServers {
  imap: MailHost;
  smtp: MailHost;
  domain: string;
  /** What a client must trust. */
  ca: string;
  addUser(name: string): Promise<MailUser>;
  /** Ends both as an operator does; accounts and mail stay. */
  stopServers(): Promise<void>;
  /** SIGKILL to every process of both. */
  killServers(): Promise<void>;
  /** On the same ports. @throws Error with the logs when they aren't ready in time */
  startServers(): Promise<void>;
  /** What both wrote into their logs. */
  logs(): Promise<string>;
  /** Returns once a mail has left Postfix's queue, in which a later one may pass it. */
  delivered(messageId: string): Promise<void>;
  /** Ends both and removes everything. */
  stop(): Promise<void>;
}

/** @throws Error with the logs when they aren't ready in time */
export async function startMailServers(): Promise<MailServers> {
  const folder = await temporaryFolder('fairlead-mail-');
  const at = (...path: string[]): string => join(folder.path, ...path);
  const ports: MailPorts = {
    imap: await freePort(),
    imaps: await freePort(),
    smtp: await freePort(),
    smtps: await freePort(),
  };
  await writeFolders(folder.path, ports);

  let running: Supervised[] = [];
  const end = async (how: 'stop' | 'kill'): Promise<void> => {
    await Promise.all(running.map((server) => server[how]()));
    running = [];
  };
  const logs = async (): Promise<string> =>
    (
      await Promise.all(
        ['dovecot.log', 'postfix.log'].map((name) => readFile(at(name), 'utf8').catch(() => '')),
      )
    ).join('');
  const startServers = async (): Promise<void> => {
    if (running.length > 0) throw new Error('The mail servers run already.');
    running = [
      supervise([DOVECOT, '-F', '-c', at('dovecot.conf')], at('dovecot', 'master.pid')),
      supervise([POSTFIX, '-c', at('postfix', 'etc'), '-d'], at('postfix', 'queue', 'pid', 'master.pid')),
    ];
    const until = performance.now() + READY_WITHIN_MS;
    for (const port of Object.values(ports)) {
      while (!(await greets(port))) {
        if (performance.now() > until) {
          await end('kill');
          throw new Error(`The mail servers were not ready in time:\n${await logs()}`);
        }
        await delay(POLL_MS);
      }
    }
  };
  await startServers();

  return {
    imap: { host: HOST, port: ports.imap, tlsPort: ports.imaps },
    smtp: { host: HOST, port: ports.smtp, tlsPort: ports.smtps },
    domain: DOMAIN,
    ca: CERTIFICATE,
    startServers,
    stopServers: () => end('stop'),
    killServers: () => end('kill'),
    logs,
    async delivered(messageId) {
      for (;;) {
        const lines = await logs();
        const id = new RegExp(`(\\w+): message-id=<${messageId.replaceAll('.', '\\.')}>`).exec(lines)?.[1];
        if (id && lines.includes(` ${id}: removed`)) return;
        await delay(POLL_MS);
      }
    },
    async addUser(name) {
      const address = `${name}@${DOMAIN}`;
      const password = `pass ${name} é"\\`;
      // In a passwd-file a colon ends the password; nothing else is special.
      await writeFile(at('users', address), `${address}:${password}::::::\n`);
      return { address, password, maildir: at('mail', address) };
    },
    async stop() {
      await end('kill');
      await folder[Symbol.asyncDispose]();
    },
  };
}

const overTls = ({ host, tlsPort }: MailHost) => ({ host, port: tlsPort, security: 'tls' as const });

/** What an instance of somebody's account is made with. */
export const accountAt = ({ imap, smtp }: MailServers, { address, password }: MailUser) => ({
  settings: { address, imap: overTls(imap), smtp: overTls(smtp) },
  credentials: { user: address, password },
});

/** The way on which somebody sends without the product. */
export const getTransport = ({ smtp, ca }: MailServers, { address, password }: MailUser) =>
  createTransport({
    host: smtp.host,
    port: smtp.tlsPort,
    secure: true,
    tls: { ca },
    auth: { user: address, pass: password },
  });

async function writeFolders(folder: string, ports: MailPorts): Promise<void> {
  const at = (...path: string[]): string => join(folder, ...path);
  const { uid: postfix, gid: postfixGroup } = await getAccount('postfix');
  for (const path of ['dovecot', 'postfix/etc', 'postfix/queue/pid', 'postfix/data', 'users', 'mail'])
    await mkdir(at(path), { recursive: true, mode: 0o755 });
  await chown(at('postfix', 'data'), postfix, postfixGroup);
  // Mailboxes are made by the one account that all of them belong to.
  await chmod(at('mail'), 0o777);
  for (const [mode, names] of Object.entries(QUEUE_FOLDERS)) {
    for (const name of names) {
      await mkdir(at('postfix', 'queue', name));
      await chown(at('postfix', 'queue', name), postfix, postfixGroup);
      await chmod(at('postfix', 'queue', name), Number(mode));
    }
  }
  await writeFile(at('certificate.pem'), CERTIFICATE.trimStart());
  await writeFile(at('key.pem'), PRIVATE_KEY.trimStart(), { mode: 0o600 });
  await writeFile(at('dovecot.conf'), dovecotConfig(folder, ports));
  await writeFile(at('postfix', 'etc', 'main.cf'), postfixMain(folder));
  await writeFile(at('postfix', 'etc', 'master.cf'), postfixMaster(ports));
}

async function getAccount(name: string): Promise<{ uid: number; gid: number }> {
  const line = (await readFile('/etc/passwd', 'utf8'))
    .split('\n')
    .find((each) => each.startsWith(`${name}:`));
  if (!line) throw new Error(`There is no account ${name}.`);
  const [, , uid, gid] = line.split(':');
  return { uid: Number(uid), gid: Number(gid) };
}

/** Whether somebody answers: with a greeting, or with TLS, which waits for the client. */
function greets(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, HOST);
    socket.setTimeout(2000, () => done(false));
    const done = (answers: boolean): void => {
      socket.destroy();
      resolve(answers);
    };
    socket.on('error', () => done(false)).on('connect', () => done(true));
  });
}
