/** The product with webhooks to a receiver outside, and events that are written as an API process writes them. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { type Account, openAccount, succeeded } from '../../test/support/account.ts';
import { freePort, type Product, startProduct } from '../../test/support/product.ts';
import { openDatabase, openPool } from '../../src/platform/db/database.ts';
import { runningConnection } from '../../src/platform/embedded-postgres/embedded.ts';
import { createListener } from '../../src/platform/db/listener.ts';
import { unitsFor } from '../../test/support/events/outbox.ts';
import { newUuid } from '../../src/platform/http/ids.ts';
import { publicId, toUuid } from '../../src/core/vocabulary/ids.ts';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';

const CONNECTIONS = 8;
const quiet = { warn: () => undefined };

export interface PublicationRequest {
  path: string;
  event: string;
  /** ms since 1970. */
  at: number;
  /** `utm_content` of a visit. */
  content?: string;
}

export interface DeliveryWorld extends AsyncDisposable {
  product: Product;
  account: Account;
  receiver: string;
  query: <T>(text: string, values?: unknown[]) => Promise<T[]>;
  /** @returns its ID */
  subscribe(path: string, fields?: object): Promise<string>;
  /** Writes events at an even rate, one a transaction. @returns event ID → when its commit was asked for, ms since 1970 */
  offer(perSecond: number, seconds: number): Promise<Map<string, number>>;
  /** Writes events as fast as it goes, 100 a transaction. */
  pour(count: number): Promise<void>;
  /** What came since it was asked last. */
  arrivals(): Promise<PublicationRequest[]>;
  /** Waits until no delivery of `webhooks` (default: of any) waits. */
  drained(webhooks?: string[]): Promise<void>;
  /** A value of /metrics, added up over labels. */
  metric(name: string): Promise<number>;
}

const wallClock = (): number => performance.timeOrigin + performance.now();

export async function openDeliveryWorld(env: Record<string, string> = {}): Promise<DeliveryWorld> {
  const folder = await temporaryFolder();
  const product = await startProduct({
    dataDir: folder.path,
    env: { EGRESS_ALLOW: '127.0.0.1', LOG_LEVEL: 'warn', ...env },
  });
  const account = await openAccount(product.base);
  const port = await freePort();
  const outside = spawn(process.execPath, ['bench/support/receiver.ts', String(port)], { stdio: 'inherit' });
  const receiver = `http://127.0.0.1:${port}`;
  while (
    !(await fetch(receiver).then(
      ({ ok }) => ok,
      () => false,
    ))
  )
    await delay(20);

  const connection = env.DATABASE_URL
    ? { connectionString: env.DATABASE_URL }
    : (await runningConnection(folder.path))!;
  const pool = openPool({ ...connection, max: CONNECTIONS }, () => undefined);
  const listener = createListener({ connection, log: quiet });
  listener.start();
  const units = unitsFor(openDatabase(pool), () => listener.notify('events', 'written'));
  const workspaceId = toUuid('workspace', account.workspace)!;

  const write = async (count: number, onCommit: (ids: string[]) => void = () => {}): Promise<void> => {
    const ids: string[] = [];
    await units.write(
      async (unit) => {
        for (let n = 0; n < count; n++)
          await unit.events.write(
            { ...unit, newUuid: () => (ids.push(newUuid()), ids.at(-1)!) },
            {
              workspaceId,
              type: 'api_key.updated',
              resourceId: publicId('api_key', newUuid()),
              object: { object: 'api_key', name: 'Production site', note: 'x'.repeat(600) },
            },
          );
      },
      () => onCommit(ids),
    );
  };

  const arrivals = async (): Promise<PublicationRequest[]> => {
    const list = (await (await fetch(`${receiver}/report`)).json()) as [string, string, number, string?][];
    return list.map(([path, event, at, content]) => ({ path, event, at, content }));
  };

  return {
    product,
    account,
    receiver,
    arrivals,
    query: async (text, values = []) => (await pool.query(text, values)).rows,
    async subscribe(path, fields = {}) {
      const body = { url: `${receiver}${path}`, events: ['api_key.updated'], ...fields };
      const answer = await succeeded(await account.call('POST', '/webhooks', body));
      return ((await answer.json()) as { id: string }).id;
    },
    async offer(perSecond, seconds) {
      const committed = new Map<string, number>();
      const writing = new Set<Promise<void>>();
      const began = performance.now();
      for (let sent = 0; sent < perSecond * seconds;) {
        const due = Math.min(perSecond * seconds, ((performance.now() - began) / 1000) * perSecond);
        for (; sent < due; sent++) {
          const one = write(1, ([id]) => committed.set(publicId('event', id!), wallClock()));
          writing.add(one);
          void one.finally(() => writing.delete(one));
        }
        await delay(1);
      }
      await Promise.all(writing);
      return committed;
    },
    async pour(count) {
      const each = count / CONNECTIONS;
      await Promise.all(
        Array.from({ length: CONNECTIONS }, async () => {
          for (let done = 0; done < each; done += 100) await write(Math.min(100, each - done));
        }),
      );
    },
    async drained(webhooks) {
      const ids = webhooks?.map((id) => toUuid('webhook', id));
      for (;;) {
        const { rows } = await pool.query(
          `select exists (select from outbox) or exists (
             select from delivery_queue where $1::uuid[] is null or receiver_id = any ($1)
           ) as waits`,
          [ids ?? null],
        );
        if (!rows[0].waits) return;
        await delay(20);
      }
    },
    async metric(name) {
      const text = await (await fetch(`${product.base}/metrics`)).text();
      const lines = text
        .split('\n')
        .filter((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`));
      if (!lines.length) throw new Error(`/metrics has no ${name}`);
      return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
    },
    async [Symbol.asyncDispose]() {
      await listener.stop();
      await pool.end();
      await product.stop();
      outside.kill();
      await once(outside, 'exit');
      await folder[Symbol.asyncDispose]();
    },
  };
}
