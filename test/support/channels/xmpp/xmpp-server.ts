/** An XMPP server for tests: one of Debian's own programs with a private configuration and private data, on loopback. */
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { CERTIFICATE } from '../../egress.ts';
import { type Supervised, supervise } from '../../supervised.ts';
import type { TemporaryFolder } from '../../temporary-folder.ts';

export const HOST = '127.0.0.1';
export const DOMAIN = 'receiver.test';
/** The service that hosts rooms. */
export const ROOMS = `rooms.${DOMAIN}`;
/** The service that takes uploads. */
export const UPLOADS = `upload.${DOMAIN}`;

const READY_WITHIN_MS = 120_000;
const POLL_MS = 20;

export interface XmppUser {
  /** Bare. */
  address: string;
  password: string;
}

export interface XmppServer {
  host: string;
  /** Plain text with STARTTLS. */
  port: number;
  /** TLS from the first byte. */
  tlsPort: number;
  domain: string;
  /** The address of the service that hosts rooms. */
  rooms: string;
  /** The certificate that clients must trust. */
  ca: string;
  /** Creates an account. */
  addUser(name: string): Promise<XmppUser>;
  /** Stops the server as an operator does; accounts and archives stay. */
  stopServer(): Promise<void>;
  /** SIGKILL. */
  killServer(): Promise<void>;
  /** Starts the server again on the same ports. @throws Error with the log when it isn't ready in time */
  startServer(): Promise<void>;
  /** Suspends the server: it neither reads nor writes, and its connections stay open. */
  freeze(): Promise<void>;
  thaw(): Promise<void>;
  /** Returns what the server has logged. */
  logs(): Promise<string>;
  /** Kills the server and removes its data. */
  stop(): Promise<void>;
}

export interface XmppPorts {
  /** Plain text with STARTTLS. */
  c2s: number;
  /** TLS from the first byte. */
  c2sTls: number;
  /** Uploads. */
  https: number;
}

export interface XmppProgram {
  name: string;
  /** Deleted by `stop`. */
  folder: TemporaryFolder;
  command: string[];
  /** Relative to the folder. */
  pidFile: string;
  /** Relative to the folder. */
  logFile: string;
  ports: XmppPorts;
  addUser: XmppServer['addUser'];
}

/** Starts the program and waits until it accepts connections. @throws Error with the log when it isn't ready in time */
export async function startXmppServer(program: XmppProgram): Promise<XmppServer> {
  const { name, folder, ports } = program;
  const pidFile = join(folder.path, program.pidFile);
  let running: Supervised | null = null;

  const end = async (how: 'stop' | 'kill'): Promise<void> => {
    await running?.[how]();
    running = null;
  };
  const logs = () => readFile(join(folder.path, program.logFile), 'utf8').catch(() => '');
  const signal = async (which: 'SIGSTOP' | 'SIGCONT'): Promise<void> => {
    process.kill(Number(await readFile(pidFile, 'utf8')), which);
  };
  const hasPid = () =>
    readFile(pidFile, 'utf8').then(
      (pid) => pid !== '',
      () => false,
    );
  const startServer = async (): Promise<void> => {
    if (running) throw new Error(`${name} is already running.`);
    running = supervise(program.command, pidFile);
    const until = performance.now() + READY_WITHIN_MS;
    const checks = [hasPid, ...Object.values(ports).map((port) => () => accepts(port))];
    for (const isReady of checks) {
      while (!(await isReady())) {
        if (performance.now() > until) {
          await end('kill');
          throw new Error(`${name} was not ready in time:\n${await logs()}`);
        }
        await delay(POLL_MS);
      }
    }
  };
  try {
    await startServer();
  } catch (error) {
    await folder[Symbol.asyncDispose]();
    throw error;
  }

  return {
    host: HOST,
    port: ports.c2s,
    tlsPort: ports.c2sTls,
    domain: DOMAIN,
    rooms: ROOMS,
    ca: CERTIFICATE,
    addUser: program.addUser,
    startServer,
    stopServer: () => end('stop'),
    killServer: () => end('kill'),
    freeze: () => signal('SIGSTOP'),
    thaw: () => signal('SIGCONT'),
    logs,
    async stop() {
      await end('kill');
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** Returns a password that every server must be able to check: a space, a letter beyond ASCII, quotes, a backslash. */
export const getPassword = (name: string): string => `pass ${name} é"\\`;

/** Returns the settings by which an instance reaches the server. */
export const getServer = ({ host, tlsPort }: Pick<XmppServer, 'host' | 'tlsPort'>) => ({
  host,
  port: tlsPort,
  security: 'tls' as const,
});

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, HOST);
    const done = (isOpen: boolean): void => {
      socket.destroy();
      resolve(isOpen);
    };
    socket.setTimeout(2000, () => done(false));
    socket.on('error', () => done(false)).on('connect', () => done(true));
  });
}
