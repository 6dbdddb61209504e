/** For tests of identity: a server with nothing but /api/auth on a database of its own, and a browser's cookie jar. */
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { readConfig } from '../../../src/platform/config/config.ts';
import { createTestDatabase, type TestDatabase } from '../db.ts';
import { createServer } from '../../../src/platform/http/server.ts';
import type { MailMessage } from '../../../src/platform/mail/mailer.ts';
import { createSecretBox } from '../../../src/platform/crypto/secret-box.ts';
import { createPasswordHasher, type PasswordCost } from '../../../src/core/auth/identity/password-hash.ts';
import {
  createIdentity,
  type Identity,
  type IdentityDeps,
} from '../../../src/core/auth/identity/identity.ts';

export const PASSWORD = 'correct horse battery';
/** Real hashes take 80 ms of CPU each; `password-hash.test.ts` and tests of the running product use them. */
export const CHEAP_PASSWORDS: PasswordCost = { memoryKib: 64, passes: 1 };

export interface TestIdentity {
  app: FastifyInstance;
  base: string;
  identity: Identity;
  database: TestDatabase;
  /** Mails left to be sent. */
  outbox: MailMessage[];
  /** Lines that were logged. */
  logged: string[];
  /** How many passwords were hashed, to store or to compare one. */
  hashesComputed(): number;
  stop(): Promise<void>;
}

export interface Answer {
  status: number;
  headers: Headers;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into any answer
  body: any;
}

/** @param options `on`: a server that shares the database of another one; `passwords`: hashed as in production;
 * `hashing`: how else they are hashed */
export async function startIdentity(
  env: Record<string, string> = {},
  options: {
    on?: TestIdentity;
    bounds?: IdentityDeps['bounds'];
    mail?: boolean;
    passwords?: 'real';
    hashing?: Parameters<typeof createPasswordHasher>[0];
  } = {},
): Promise<TestIdentity> {
  const config = readConfig({ PORT: '0', ...env });
  const database = options.on?.database ?? (await createTestDatabase());
  const outbox: MailMessage[] = [];
  const logged: string[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => void logged.push(line) });
  const app = createServer(config, log);
  const hasher = createPasswordHasher(
    options.passwords === 'real' ? {} : { cost: CHEAP_PASSWORDS, ...options.hashing },
  );
  let hashes = 0;
  const counted = <T>(computed: T): T => {
    hashes += 1;
    return computed;
  };
  const identity = createIdentity({
    config,
    db: database.db,
    secrets: createSecretBox('a secret for tests, 32 characters long'),
    mail: { enabled: options.mail ?? true, sendLater: async (_db, message) => void outbox.push(message) },
    log,
    hasher: {
      hash: (...given) => counted(hasher.hash(...given)),
      verify: (...given) => counted(hasher.verify(...given)),
    },
    bounds: options.bounds,
  });
  identity.register(app);
  const base = await app.listen({ host: '127.0.0.1', port: 0 });
  return {
    app,
    base,
    identity,
    database,
    outbox,
    logged,
    hashesComputed: () => hashes,
    async stop() {
      await app.close();
      if (!options.on) await database.drop();
    },
  };
}

/** Calls as a browser would that is on our own page: it keeps cookies and tells its origin. */
export class Browser {
  readonly cookies = new Map<string, string>();
  readonly base: string;
  readonly headers: Record<string, string>;

  constructor(base: string, headers: Record<string, string> = {}) {
    this.base = base;
    this.headers = { origin: base, ...headers };
  }

  get cookie(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  async send(path: string, init: RequestInit = {}): Promise<Answer> {
    const response = await fetch(`${this.base}/api/auth${path}`, {
      ...init,
      headers: {
        ...this.headers,
        ...(this.cookie ? { cookie: this.cookie } : {}),
        ...(init.headers as object),
      },
    });
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';');
      const name = pair.slice(0, pair.indexOf('='));
      if (/max-age=0/i.test(line)) this.cookies.delete(name);
      else this.cookies.set(name, pair.slice(name.length + 1));
    }
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text ? JSON.parse(text) : null };
  }

  get(path: string): Promise<Answer> {
    return this.send(path);
  }

  post(path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    if (body === undefined) return this.send(path, { method: 'POST', headers });
    const json = { 'content-type': 'application/json', ...headers };
    return this.send(path, { method: 'POST', headers: json, body: JSON.stringify(body) });
  }

  signUp(email: string, more: object = {}): Promise<Answer> {
    return this.post('/sign-up/email', { name: 'Ada', email, password: PASSWORD, ...more });
  }

  signIn(email: string, password = PASSWORD): Promise<Answer> {
    return this.post('/sign-in/email', { email, password });
  }
}
