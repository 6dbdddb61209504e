/** The product with an instance on the sandbox, whose contacts take everything and answer nothing, and texts sent to them by HTTP. */
import { setTimeout as delay } from 'node:timers/promises';
import { type Account, openAccount, succeeded } from '../../test/support/account.ts';
import { connectInstance } from '../../test/support/messaging-worlds.ts';
import { getCpu } from '../../test/support/processes.ts';
import { type Product, startProduct } from '../../test/support/product.ts';
import { openPool } from '../../src/platform/db/database.ts';
import { runningConnection } from '../../src/platform/embedded-postgres/embedded.ts';
import { toUuid } from '../../src/core/vocabulary/ids.ts';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';

const CHATS = 100;
const IDLE_MS = 20;

export interface Used {
  statements: number;
  cpuMs: number;
}

export interface MessagingWorld extends AsyncDisposable {
  product: Product;
  account: Account;
  query: <T>(text: string, values?: unknown[]) => Promise<T[]>;
  /** Sends one text to one of 100 contacts, in turn. @returns its ID, and when the 202 was there, in ms since 1970 */
  send(): Promise<{ id: string; at: number }>;
  /** Resolves once all that was sent is delivered. @throws Error when a message failed */
  delivered(): Promise<void>;
  /** When the event of the delivery was written, by message, in ms since 1970. */
  deliveries(): Promise<Map<string, number>>;
  /** Messages that were taken by the channel before an earlier one of their chat. */
  misordered(): Promise<number>;
  /** What the serving process has used so far. */
  used(): Promise<Used>;
}

export async function openMessagingWorld(): Promise<MessagingWorld> {
  const folder = await temporaryFolder();
  const product = await startProduct({ dataDir: folder.path, env: { LOG_LEVEL: 'warn' } });
  const account = await openAccount(product.base);
  const { secret } = await account.createKey();
  const body = { name: 'bench', channel: 'sandbox', settings: { replies: false } };
  const instance = await connectInstance(account, body);
  const pool = openPool({ ...(await runningConnection(folder.path))!, max: 2 }, () => undefined);
  const query = async <T>(text: string, values: unknown[] = []): Promise<T[]> =>
    (await pool.query(text, values)).rows as T[];
  const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' };
  let sent = 0;
  return {
    product,
    account,
    query,
    async send() {
      const message = {
        instance_id: instance,
        to: `contact${sent++ % CHATS}`,
        type: 'text',
        text: { body: 'Hi, it is on its way.' },
      };
      const answer = await succeeded(
        await fetch(`${product.base}/api/v1/messages`, {
          method: 'POST',
          headers,
          body: JSON.stringify(message),
        }),
      );
      const at = performance.timeOrigin + performance.now();
      return { id: ((await answer.json()) as { id: string }).id, at };
    },
    async delivered() {
      for (;;) {
        const [row] = await query<{ done: number; failed: number }>(
          `select count(*) filter (where status in ('delivered', 'read'))::int as done,
                  count(*) filter (where failed_as is not null)::int as failed from messages`,
        );
        if (row!.failed) throw new Error(`${row!.failed} messages failed`);
        if (row!.done === sent) return;
        // Not so often that the looking costs what it looks at.
        await delay(Math.max(IDLE_MS, (sent - row!.done) / 10));
      }
    },
    async deliveries() {
      const rows = await query<{ id: string; at: Date }>(
        `select resource_id as id, created_at as at from events where type = 'message.delivered'
         union all select resource_id, created_at from outbox where type = 'message.delivered'`,
      );
      return new Map(rows.map(({ id, at }) => [id, at.getTime()]));
    },
    async misordered() {
      const [row] = await query<{ count: number }>(
        `select count(*)::int as count from (
           select s.taken_at, max(s.taken_at) over (
             partition by m.chat_id order by m.sequence rows between unbounded preceding and 1 preceding
           ) as before
           from messages m join sandbox_sent s on s.instance_id = m.instance_id and s.client_id = m.external_id
           where m.instance_id = $1
         ) t where taken_at < before`,
        [toUuid('instance', instance)],
      );
      return row!.count;
    },
    async used() {
      const text = await (await fetch(`${product.base}/metrics`)).text();
      const statements = /^fairlead_database_statements_total (\d+)/m.exec(text)![1];
      return { statements: Number(statements), cpuMs: getCpu([product.pid]) };
    },
    async [Symbol.asyncDispose]() {
      await pool.end();
      await product.stop();
      await folder[Symbol.asyncDispose]();
    },
  };
}
