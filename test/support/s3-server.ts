/** An S3 server in a process of its own, which tests may kill, start again and freeze. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, utimes } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const SERVER = createRequire(import.meta.url).resolve('@20minutes/s3rver');
/** s3rver knows no other. */
const KEY = 'S3RVER';
/** s3rver hides what its continuation tokens say by a cipher of old. */
const LEGACY = '--openssl-legacy-provider';
export const BUCKET = 'media-of-tests';
const SCRIPT = `
  const S3rver = require(process.argv[1]);
  const [directory, port, name] = process.argv.slice(2);
  new S3rver({ address: '127.0.0.1', port: Number(port), directory, silent: true, configureBuckets: [{ name }] })
    .run()
    .then((address) => process.stdout.write(address.port + '\\n'));
  process.stdin.on('end', () => process.exit()).resume();
`;

export interface S3Server extends AsyncDisposable {
  port: number;
  /** For S3_URL. @param options another port, key, secret or bucket than its own; `path` stands behind the bucket */
  url(options?: { port?: number; key?: string; secret?: string; bucket?: string; path?: string }): string;
  /** Makes an object as old as that. @param key with its prefix */
  age(key: string, at: Date): Promise<void>;
  /** Ends it at once, whatever it does. */
  kill(): Promise<void>;
  /** On the same port, with what it held. */
  start(): Promise<void>;
  signal(name: 'SIGSTOP' | 'SIGCONT'): void;
  /** For good, with all that it holds. */
  stop(): Promise<void>;
}

export async function startS3(): Promise<S3Server> {
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-s3-'));
  let child: ChildProcess;
  let port = 0;
  const start = async (): Promise<void> => {
    // It ends with its standard input: nothing is left when the tests are killed.
    child = spawn(process.execPath, [LEGACY, '-e', SCRIPT, SERVER, folder, String(port), BUCKET], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const [line] = (await once(child.stdout!, 'data')) as [Buffer];
    port = Number(line.toString());
  };
  const kill = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  };
  await start();
  const stop = async (): Promise<void> => {
    await kill();
    await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  };
  return {
    get port() {
      return port;
    },
    url: ({ port: at = port, key = KEY, secret = KEY, bucket = BUCKET, path = '/some/prefix' } = {}) =>
      `http://${key}:${secret}@127.0.0.1:${at}/${bucket}${path}`,
    age: (key, at) => utimes(join(folder, BUCKET, `${key}._S3rver_object`), at, at),
    kill,
    start,
    signal: (name) => void child.kill(name),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
