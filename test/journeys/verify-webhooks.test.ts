/** The receivers in docs/verify-webhooks.md, as they stand there, against requests that our own signer signed. */
import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { createHmac, createSecretKey, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { needs } from '../support/needs.ts';
import { temporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';
import { getSignature, parseSecret } from '../../src/platform/crypto/webhook-signature.ts';
import { generateSecret } from '../../src/core/webhooks/delivery/webhook-secret.ts';
import { fencedIn, readPage } from '../support/fenced.ts';

const BLOCKS = fencedIn(readPage('verify-webhooks.md'));
const SECRET = generateSecret();
const getKey = (secret: string) => createSecretKey(parseSecret(secret)!);
const ID = 'evt_01h2xcejqtf2nbrexx3vqjhp41';
/** Not ASCII, spaced as no program writes it, and what ends strings elsewhere. */
const BODY = '{ "type":"link.created" ,"data":{"object":{"title":"Schlüssel 灯台 🚢 \\u2028 </script>"}}}';

const GO = 'go';

interface Language {
  name: string;
  /** What apt calls it. */
  program: string;
  version: string;
  fence: string;
  file: string;
  /** Arguments that start it, once it is built where it needs that. */
  command: (folder: string, port: number) => Promise<string[]> | string[];
}

const LANGUAGES: Language[] = [
  {
    name: 'Node',
    program: 'node',
    version: '--version',
    fence: 'js',
    file: 'receiver.mjs',
    command: () => [process.execPath, 'receiver.mjs'],
  },
  {
    name: 'Python',
    program: 'python3',
    version: '--version',
    fence: 'python',
    file: 'receiver.py',
    command: () => ['python3', 'receiver.py'],
  },
  {
    name: 'PHP',
    program: 'php',
    version: '--version',
    fence: 'php',
    file: 'receiver.php',
    command: (_folder, port) => ['php', '-S', `127.0.0.1:${port}`, 'receiver.php'],
  },
  {
    name: 'Go',
    program: GO,
    version: 'version',
    fence: 'go',
    file: 'receiver.go',
    async command(folder) {
      // Nothing is downloaded, and nothing is left behind.
      const env = {
        ...process.env,
        GOCACHE: join(folder, 'cache'),
        GOPATH: folder,
        GOPROXY: 'off',
        GOFLAGS: '',
      };
      await promisify(execFile)(GO, ['build', '-o', 'receiver', 'receiver.go'], { cwd: folder, env });
      return ['./receiver'];
    },
  },
];

const isThere = ({ program, version }: Language) => spawnSync(program, [version]).status === 0;

/** Headers of a delivery, as the product sends them. */
function toHeaders(secrets: string[], { body = BODY, ago = 0, id = ID } = {}): Record<string, string> {
  const timestamp = Math.floor(Date.now() / 1000) - ago;
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': getSignature(secrets.map(getKey), id, timestamp, body),
  };
}

describe.each(LANGUAGES)('the receiver in $name', (language) => {
  describe('verifies', needs(`${language.name} (${language.program})`, isThere(language)), () => {
    let folder: TemporaryFolder;
    let receiver: ChildProcess;
    let port: number;
    let url: string;
    let written = '';

    const post = async (headers: Record<string, string>, body = BODY): Promise<number> => {
      const response = await fetch(url, { method: 'POST', headers, body });
      await response.text();
      return response.status;
    };

    beforeAll(async () => {
      folder = await temporaryFolder();
      const source = BLOCKS.find(
        ({ language: fence, text }) => fence === language.fence && text.includes(language.file),
      );
      await writeFile(join(folder.path, language.file), source!.text);
      port = await freePort();
      url = `http://127.0.0.1:${port}/hook`;
      const [program, ...args] = await language.command(folder.path, port);
      receiver = spawn(program!, args, {
        cwd: folder.path,
        env: { ...process.env, PORT: String(port), WEBHOOK_SECRET: SECRET },
      });
      for (const stream of [receiver.stdout, receiver.stderr])
        stream?.setEncoding('utf8').on('data', (text: string) => (written += text));
      await vi.waitFor(() => post({}), { timeout: 120_000, interval: 50 });
    });
    afterAll(async () => {
      if (receiver && receiver.exitCode === null && receiver.signalCode === null) {
        receiver.kill('SIGKILL');
        await once(receiver, 'exit');
      }
      await folder?.[Symbol.asyncDispose]();
    });

    test('what the product signed, also after a rotation and at the edges of the tolerance', async () => {
      const other = generateSecret();
      expect(await post(toHeaders([SECRET])), written).toBe(204);
      expect(await post(toHeaders([SECRET, other]))).toBe(204);
      expect(await post(toHeaders([other, SECRET]))).toBe(204);
      const later = toHeaders([SECRET]);
      later['webhook-signature'] = `v1a,${randomBytes(64).toString('base64')} ${later['webhook-signature']}`;
      expect(await post(later)).toBe(204);
      for (const ago of [240, -240]) expect(await post(toHeaders([SECRET], { ago }))).toBe(204);
      await vi.waitFor(() => expect(written).toContain(`${ID} link.created`));
    });

    test.each([
      ['a changed body', () => toHeaders([SECRET]), BODY.replace('灯', '火')],
      ['a blank after the body', () => toHeaders([SECRET]), `${BODY} `],
      ['an old timestamp', () => toHeaders([SECRET], { ago: 360 }), BODY],
      ['a timestamp of the future', () => toHeaders([SECRET], { ago: -360 }), BODY],
      ['another secret', () => toHeaders([generateSecret()]), BODY],
      ['two other secrets', () => toHeaders([generateSecret(), generateSecret()]), BODY],
      ['another id', () => ({ ...toHeaders([SECRET]), 'webhook-id': 'evt_other' }), BODY],
      [
        'another timestamp',
        () => {
          const headers = toHeaders([SECRET]);
          return { ...headers, 'webhook-timestamp': String(Number(headers['webhook-timestamp']) + 1) };
        },
        BODY,
      ],
      [
        'a timestamp that is none',
        () => {
          const headers = toHeaders([SECRET]);
          return { ...headers, 'webhook-timestamp': `${headers['webhook-timestamp']}x` };
        },
        BODY,
      ],
      [
        'another version',
        () => {
          const headers = toHeaders([SECRET]);
          return { ...headers, 'webhook-signature': headers['webhook-signature']!.replace('v1,', 'v2,') };
        },
        BODY,
      ],
      [
        'a cut signature',
        () => {
          const headers = toHeaders([SECRET]);
          return { ...headers, 'webhook-signature': headers['webhook-signature']!.slice(0, 20) };
        },
        BODY,
      ],
      ['an empty signature', () => ({ ...toHeaders([SECRET]), 'webhook-signature': 'v1,' }), BODY],
      ['no signature', () => ({ 'webhook-id': ID, 'webhook-timestamp': '1' }), BODY],
      ['no headers', () => ({}), BODY],
    ] as [string, () => Record<string, string>, string][])('not %s', async (_name, headers, body) => {
      expect(await post(headers(), body), written).toBe(401);
      // It goes on, and takes what is genuine.
      expect(await post(toHeaders([SECRET])), written).toBe(204);
    });

    test('and outlives whoever hangs up in the middle of a body', async () => {
      const socket = connect(port, '127.0.0.1');
      socket.end('POST /hook HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\n{"type":');
      // Answered or cut off, it is over.
      socket.on('error', () => undefined).resume();
      await new Promise((resolve) => socket.once('close', resolve));
      expect(await post(toHeaders([SECRET])), written).toBe(204);
      expect(receiver.exitCode).toBeNull();
    });

    test.each(['', 'whsec_', 'whsec_…', 'whsec_c2hvcnQ='])(
      'takes nothing with %j as its secret',
      async (secret) => {
        const ownPort = await freePort();
        const [program, ...args] = await language.command(folder.path, ownPort);
        const own = spawn(program!, args, {
          cwd: folder.path,
          env: { ...process.env, PORT: String(ownPort), WEBHOOK_SECRET: secret },
          stdio: 'ignore',
        });
        const ended = once(own, 'exit');
        try {
          const timestamp = Math.floor(Date.now() / 1000);
          const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
          const signature = createHmac('sha256', key).update(`${ID}.${timestamp}.${BODY}`).digest('base64');
          const headers = {
            'webhook-id': ID,
            'webhook-timestamp': String(timestamp),
            'webhook-signature': `v1,${signature}`,
          };
          const tried = async (): Promise<number | string> => {
            if (own.exitCode !== null) return 'it does not start';
            const response = await fetch(`http://127.0.0.1:${ownPort}/hook`, {
              method: 'POST',
              headers,
              body: BODY,
            });
            await response.text();
            return response.status;
          };
          const outcome = await vi.waitFor(tried, { timeout: 120_000, interval: 50 });
          expect(['it does not start', 500]).toContain(outcome);
        } finally {
          own.kill('SIGKILL');
          await ended;
        }
      },
    );
  });
});
