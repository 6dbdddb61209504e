/**
 * Prosody for tests: Debian's own program, a private configuration and private data, on loopback. Stanzas go from one of its
 * accounts to another and nowhere else.
 *
 *     describe('…', needs(PROSODY, HAS_PROSODY), () => { … prosody = await startProsody(); … await prosody.stop(); });
 */
import { createHash, createHmac, pbkdf2, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { CERTIFICATE, PRIVATE_KEY } from '../../../../http/egress/testing.ts';
import { freePort } from '../../../../testing/free-port.ts';
import { type Supervised, supervise } from '../../../../testing/supervised.ts';
import { temporaryFolder } from '../../../../testing/temporary-folder.ts';
import { DOMAIN, prosodyConfig, type ProsodyPorts, ROOMS } from './prosody-config.ts';

const PROGRAM = '/usr/bin/prosody';

export const PROSODY = 'Prosody (prosody)';
export const HAS_PROSODY = existsSync(PROGRAM);

const READY_WITHIN_MS = 30_000;
const POLL_MS = 20;
const HOST = '127.0.0.1';
/** The fewest that our driver accepts (RFC 7677): each sign-in of a peer or of a driver computes them. */
const ITERATIONS = 4_096;
const derive = promisify(pbkdf2);

export interface XmppUser {
  /** Bare. */
  address: string;
  password: string;
}

export interface Prosody {
  host: string;
  /** Speaks plainly and offers STARTTLS. */
  port: number;
  /** Speaks TLS from the start. */
  tlsPort: number;
  domain: string;
  /** The address under which rooms are. */
  rooms: string;
  /** What a client must trust. */
  ca: string;
  /** An account; the server need not run. */
  addUser(name: string): Promise<XmppUser>;
  /** Ends it as an operator does; accounts and archives stay. */
  stopServer(): Promise<void>;
  /** SIGKILL. */
  killServer(): Promise<void>;
  /** On the same ports. @throws Error with the log when it isn't ready in time */
  startServer(): Promise<void>;
  /** It says and hears nothing, and its connections stay. */
  freeze(): Promise<void>;
  thaw(): Promise<void>;
  /** What it wrote into its log. */
  logs(): Promise<string>;
  /** Ends it and removes everything. */
  stop(): Promise<void>;
}

/** @throws Error with the log when it isn't ready in time */
export async function startProsody(): Promise<Prosody> {
  const folder = await temporaryFolder('fairlead-xmpp-');
  const at = (...path: string[]): string => join(folder.path, ...path);
  const ports: ProsodyPorts = { c2s: await freePort(), c2sTls: await freePort(), https: await freePort() };
  const accounts = at('data', encoded(DOMAIN), 'accounts');
  await mkdir(accounts, { recursive: true });
  // It looks for more certificates there, and takes it for a fault where that isn't.
  await mkdir(at('certs'));
  await writeFile(at('certificate.pem'), CERTIFICATE.trimStart());
  await writeFile(at('key.pem'), PRIVATE_KEY.trimStart(), { mode: 0o600 });
  await writeFile(at('prosody.cfg.lua'), prosodyConfig(folder.path, ports));

  let running: Supervised | null = null;
  const end = async (how: 'stop' | 'kill'): Promise<void> => {
    await running?.[how]();
    running = null;
  };
  const logs = () => readFile(at('prosody.log'), 'utf8').catch(() => '');
  const signal = async (name: 'SIGSTOP' | 'SIGCONT'): Promise<void> => {
    process.kill(Number(await readFile(at('prosody.pid'), 'utf8')), name);
  };
  const hasPid = () =>
    readFile(at('prosody.pid'), 'utf8').then(
      (pid) => pid !== '',
      () => false,
    );
  const startServer = async (): Promise<void> => {
    if (running) throw new Error('Prosody runs already.');
    running = supervise([PROGRAM, '-F', '--config', at('prosody.cfg.lua')], at('prosody.pid'));
    const until = performance.now() + READY_WITHIN_MS;
    const isReady = [hasPid, ...Object.values(ports).map((port) => () => answers(port))];
    for (const check of isReady) {
      while (!(await check())) {
        if (performance.now() > until) {
          await end('kill');
          throw new Error(`Prosody was not ready in time:\n${await logs()}`);
        }
        await delay(POLL_MS);
      }
    }
  };
  await startServer();

  return {
    host: HOST,
    port: ports.c2s,
    tlsPort: ports.c2sTls,
    domain: DOMAIN,
    rooms: ROOMS,
    ca: CERTIFICATE,
    startServer,
    stopServer: () => end('stop'),
    killServer: () => end('kill'),
    freeze: () => signal('SIGSTOP'),
    thaw: () => signal('SIGCONT'),
    logs,
    async addUser(name) {
      const password = `pass ${name} é"\\`;
      await writeFile(join(accounts, `${encoded(name)}.dat`), await accountOf(password));
      return { address: `${name}@${DOMAIN}`, password };
    },
    async stop() {
      await end('kill');
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** Where a client of these tests finds the server. */
export const serverOf = ({ host, tlsPort }: Pick<Prosody, 'host' | 'tlsPort'>) => ({
  host,
  port: tlsPort,
  security: 'tls' as const,
});

/** As Prosody names its files. */
const encoded = (name: string): string =>
  Buffer.from(name)
    .toString('latin1')
    .replaceAll(/[^a-zA-Z0-9]/g, (c) => `%${c.charCodeAt(0).toString(16).padStart(2, '0')}`);

/** What SCRAM-SHA-1 needs to know of a password, as Prosody keeps it; prosodyctl takes a fifth of a second for each. */
async function accountOf(password: string): Promise<string> {
  const salt = randomUUID();
  const salted = await derive(password.normalize('NFKC'), salt, ITERATIONS, 20, 'sha1');
  const keyed = (text: string): Buffer => createHmac('sha1', salted).update(text).digest();
  const storedKey = createHash('sha1').update(keyed('Client Key')).digest('hex');
  return `return { stored_key = "${storedKey}", server_key = "${keyed('Server Key').toString('hex')}", salt = "${salt}", iteration_count = ${ITERATIONS} };\n`;
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, HOST);
    socket.setTimeout(2000, () => done(false));
    const done = (isThere: boolean): void => {
      socket.destroy();
      resolve(isThere);
    };
    socket.on('error', () => done(false)).on('connect', () => done(true));
  });
}
