/**
 * Two servers on one database, of which one dies or freezes while its receiver leaves it hanging: what it was sending
 * is sent by the other. A server that goes on after it was frozen must not send what was taken over from it.
 */
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { startEmbedded } from '../../src/platform/embedded-postgres/embedded.ts';
import { openAccount, succeeded } from './account.ts';
import { doublesIn, type HeardEvent, startListening } from './delivery-receivers.ts';
import { type Product, startProduct } from './product.ts';
import { untilWithin } from './until.ts';

const SECRET = 'a secret of 32 characters or more';
/** More than the receiver has slots: the rest waits for one. */
const BEYOND_SLOTS = 16;
const AT_ONCE = 8;
const until = untilWithin({ withinMs: 120_000, everyMs: 20 });
const quiet = { info() {}, warn() {}, error: console.error };

export interface Takeover {
  /** Deliveries that hung when it happened, and all that were to be received. */
  hanging: number;
  events: number;
  received: number;
  /** From then until the first and the last of those that hung were received from the other server, ms. */
  firstMs: number;
  lastMs: number;
  /** Requests for events that had been answered with 2xx. */
  doubles: number;
  /** What came from the frozen server after it went on, of events that the other had delivered. */
  afterWaking: number;
  /** Events that were made and received once it went on, or once the other was alone. */
  afterwards: number;
  /** Deliveries that are not over, and slots in use, at the end. */
  left: number;
}

const isReceived = ({ requests }: HeardEvent): boolean => requests.some(({ status }) => status === 200);

export interface TakeoverOptions {
  /** An empty folder. */
  folder: string;
  /** Killed, or frozen for so many ms; what hangs is answered meanwhile. */
  how: 'killed' | { frozenMs: number };
  /** Of the receiver: the sender may claim so many. */
  slots: number;
  /** Requests that it then has under way: one a connection. */
  onTheWire: number;
}

export async function takeover({ folder, how, slots, onTheWire }: TakeoverOptions): Promise<Takeover> {
  const database = await startEmbedded({ dataDir: `${folder}/database`, log: quiet });
  const { connection } = database;
  const client = new pg.Client(connection);
  const env = {
    DATABASE_URL: `postgres://${connection.user}@${encodeURIComponent(connection.host)}:${connection.port}/${connection.database}`,
    FAIRLEAD_SECRET: SECRET,
    EGRESS_ALLOW: '127.0.0.1',
    LOG_LEVEL: 'warn',
  };
  const receiver = await startListening({ fails: 0, hangs: 1, random: Math.random });
  const servers: Product[] = [];
  try {
    await client.connect();
    const first = await startProduct({ dataDir: `${folder}/first`, env });
    servers.push(first);
    const second = await startProduct({ dataDir: `${folder}/second`, env });
    servers.push(second);
    const account = await openAccount(first.base);
    const { secret } = await account.createKey({
      preset: undefined,
      scopes: ['webhooks:read', 'webhooks:write'],
    });
    const subscribed = await account.call('POST', '/webhooks', {
      url: receiver.url,
      events: ['ping'],
      concurrency: slots,
    });
    const { id } = (await (await succeeded(subscribed)).json()) as { id: string };
    const ids = new Set<string>();
    const change = async (server: Product): Promise<void> => {
      const answer = await fetch(`${server.base}/api/v1/webhooks/${id}/test`, {
        method: 'POST',
        headers: { authorization: `Bearer ${secret}` },
      });
      ids.add(((await (await succeeded(answer)).json()) as { event_id: string }).event_id);
    };
    const received = (): number =>
      [...ids].filter((event) => receiver.heard.has(event) && isReceived(receiver.heard.get(event)!)).length;

    const changeAll = async (by: Product[]): Promise<void> => {
      const each = async (start: number): Promise<void> => {
        for (let n = start; n < slots + BEYOND_SLOTS; n += AT_ONCE) await change(by[n % by.length]!);
      };
      await Promise.all(Array.from({ length: AT_ONCE }, (_, start) => each(start)));
    };

    second.signal('SIGSTOP'); // so that the first claims all
    await changeAll([first]);
    await until('all that fits on the wire hangs', () => receiver.heard.size === onTheWire);
    second.signal('SIGCONT');
    const hanging = [...receiver.heard.values()];
    receiver.calm();
    const at = performance.now();
    if (how === 'killed') await first.kill();
    else first.signal('SIGSTOP');
    receiver.answerAll();
    const again = ({ requests }: HeardEvent): number =>
      requests.find(({ status }) => status === 200)?.at ?? Number.NaN;
    await until('all that hung was taken over', () => hanging.every(isReceived));
    const times = hanging.map((event) => again(event) - at);

    let wokenAt = Number.POSITIVE_INFINITY;
    if (how !== 'killed') {
      await delay(Math.max(0, how.frozenMs - (performance.now() - at)));
      wokenAt = performance.now();
      first.signal('SIGCONT');
      // It must send again what comes from now on, under a new lease.
      await until(
        'the frozen server holds a lease again',
        async () =>
          (await client.query('select from delivery_workers where lease_until > now()')).rowCount === 2,
      );
    }
    const survivors = how === 'killed' ? [second] : [first, second];
    const since = ids.size;
    await changeAll(survivors);
    const afterwards = ids.size - since;
    await until('all was received', () => received() === ids.size);
    const left = async (): Promise<number> => {
      const { rows } = await client.query<{ count: number }>(
        `select ((select count(*) from delivery_queue) + (select coalesce(sum(in_flight), 0) from receivers)
          + (select count(*) from deliveries where status <> 'succeeded'))::int as count`,
      );
      return rows[0]!.count;
    };
    await until('every delivery is over', async () => (await left()) === 0).catch(() => undefined); // told as `left`
    const all = [...receiver.heard.values()];
    return {
      hanging: hanging.length,
      events: ids.size,
      received: received(),
      firstMs: Math.min(...times),
      lastMs: Math.max(...times),
      doubles: all.reduce((sum, event) => sum + doublesIn(event), 0),
      afterWaking: all.filter(
        (event) => again(event) < wokenAt && event.requests.some((request) => request.at > wokenAt),
      ).length,
      afterwards,
      left: await left(),
    };
  } finally {
    for (const server of servers.filter((one) => one.isRunning())) {
      server.signal('SIGCONT'); // where it is still frozen it would not hear of its end
      await server.stop();
    }
    await receiver.close();
    await client.end();
    await database.stop();
  }
}
