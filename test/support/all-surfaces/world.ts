/**
 * A started server with what all surfaces need to be under load at once: a workspace, an instance, links, endpoints,
 * webhooks to a receiver outside, and an open stream. In a new installation, or in one that is filled already.
 */
import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import { openPool } from '../../../src/platform/db/database.ts';
import { runningConnection } from '../../../src/platform/embedded-postgres/embedded.ts';
import { toUuid } from '../../../src/core/vocabulary/ids.ts';
import { type Account, ADA, type Caller, openAccount, signIn, succeeded } from '../account.ts';
import { connectInstance } from '../messaging-worlds.ts';
import { type Product, startProduct } from '../product.ts';
import { type Ledger, newLedger } from './ledger.ts';
import { type OutsideReceiver, startReceiver } from './receiver.ts';
import { followStream, type OpenStream } from './stream.ts';

const FOLLOWED = 500;
const CHANGED = 100;
const TARGET = 'https://shop.example.com/campaigns/spring?ref=newsletter';
/** Path at the receiver → what it is told of. */
export const WEBHOOKS: Record<string, string[]> = {
  '/changes': ['link.updated'],
  '/messages': ['message.queued', 'message.delivered'],
  '/publications': ['publication.received', 'publication.published'],
};
export const STREAMED = ['message.*', 'link.updated', 'publication.*'];

export interface Access {
  email: string;
  password: string;
  /** Public ID. */
  workspace: string;
}

export interface AllOptions {
  dataDir: string;
  env?: Record<string, string>;
  /** Who has an account in it already; without it somebody signs up. */
  access?: Access;
}

export interface OwnLink {
  id: string;
  uuid: string;
  slug: string;
}

export interface AllWorld extends AsyncDisposable {
  product: Product;
  base: string;
  pool: pg.Pool;
  ledger: Ledger;
  receiver: OutsideReceiver;
  account: Account;
  /** The workspace as the database has it, and the sequence of its last event before all began. */
  uuid: string;
  since: number;
  /** What calls with the session, and with a key, send along. */
  session: Record<string, string>;
  key: Record<string, string>;
  instance: string;
  followed: OwnLink[];
  changed: OwnLink[];
  /** Where it is posted to with the key, and where by knowing the address. */
  publish: { bearer: string; secret: string };
  /** The webhooks of this run, as the database has them. */
  webhooks: string[];
  stream: OpenStream;
}

async function getAccount(base: string, access: Access): Promise<Account> {
  const headers = {
    'content-type': 'application/json',
    origin: base,
    cookie: await signIn(base, access),
    'fairlead-workspace': access.workspace,
  };
  const call: Caller = (method, path, body) =>
    fetch(`${base}/api/v1${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  return {
    workspace: access.workspace,
    call,
    async createKey(fields = {}) {
      const body = { name: 'Key', preset: 'full', rate_limit: null, ...fields };
      return (await (await succeeded(await call('POST', '/api-keys', body))).json()) as {
        id: string;
        secret: string;
      };
    },
  };
}

// oxlint-disable-next-line typescript/no-explicit-any -- an answer of any operation
async function ask(account: Account, method: string, path: string, body?: object): Promise<any> {
  return (await succeeded(await account.call(method, path, body))).json();
}

async function makeLinks(account: Account, count: number, tag: string): Promise<OwnLink[]> {
  const links = Array.from({ length: count }, () => ({ url: TARGET, title: 'Not changed yet', tags: [tag] }));
  const { results } = await ask(account, 'POST', '/links/bulk', { links });
  return results.map(({ link }: { link: { id: string; slug: string } }) => ({
    id: link.id,
    uuid: toUuid('link', link.id)!,
    slug: link.slug,
  }));
}

/** Starts the server, and readies what is put under load. */
export async function openAllWorld({ dataDir, env = {}, access }: AllOptions): Promise<AllWorld> {
  const product = await startProduct({
    dataDir,
    env: { LOG_LEVEL: 'warn', EGRESS_ALLOW: '127.0.0.1', ...env },
  });
  const stack = new AsyncDisposableStack();
  stack.defer(async () => {
    const { code } = await product.stop();
    if (code !== 0) throw new Error(`the server ended with ${code}:\n${product.output()}`);
  });
  try {
    const { base } = product;
    const connection = env['DATABASE_URL']
      ? { connectionString: env['DATABASE_URL'] }
      : (await runningConnection(dataDir))!;
    const pool = openPool({ ...connection, max: 2 }, () => undefined);
    stack.defer(() => pool.end());
    const ledger = newLedger();
    const receiver = stack.use(await startReceiver(ledger));

    const somebody = access ?? {
      ...ADA,
      workspace: (await openAccount(base)).workspace,
    };
    const account = await getAccount(base, somebody);
    const uuid = toUuid('workspace', account.workspace)!;
    const tag = `soak-${randomBytes(4).toString('hex')}`;
    const { secret } = await account.createKey({ name: tag });
    const session = {
      origin: base,
      cookie: await signIn(base, somebody),
      'fairlead-workspace': account.workspace,
    };
    const instance = await connectInstance(account, {
      name: tag,
      channel: 'sandbox',
      settings: { replies: false },
    });
    const followed = await makeLinks(account, FOLLOWED, tag);
    const changed = await makeLinks(account, CHANGED, `${tag}-changed`);
    const destinations = [{ instance_id: instance, to: '{{ payload.to }}', template: '{{ payload.text }}' }];
    const endpoint = (type: string) =>
      ask(account, 'POST', '/publishing-endpoints', { name: tag, auth: { type }, destinations });
    const publish = {
      bearer: `/api/v1/publish/${(await endpoint('bearer')).id}`,
      secret: new URL((await endpoint('secret_url')).url).pathname,
    };
    const { rows } = await pool.query<{ last: number }>(
      'select coalesce(max(last_sequence), 0)::int as last from workspace_sequences where workspace_id = $1',
      [uuid],
    );
    const webhooks: string[] = [];
    for (const [path, events] of Object.entries(WEBHOOKS)) {
      const { id } = await ask(account, 'POST', '/webhooks', { url: `${receiver.base}${path}`, events });
      webhooks.push(toUuid('webhook', id)!);
    }
    const stream = await followStream(
      `${base}/api/v1/events/stream?type=${STREAMED.join(',')}`,
      session,
      ledger,
    );
    stack.defer(() => stream.close());
    return {
      product,
      base,
      pool,
      ledger,
      receiver,
      account,
      uuid,
      since: rows[0]!.last,
      session,
      key: { authorization: `Bearer ${secret}` },
      instance,
      followed,
      changed,
      publish,
      webhooks,
      stream,
      [Symbol.asyncDispose]: () => stack.disposeAsync(),
    };
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
}
