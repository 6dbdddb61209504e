/**
 * Two servers on one database, of which one holds all XMPP accounts and dies, or freezes for a while, with messages under way
 * in both directions: the other takes the accounts over. One that goes on after it was frozen must do nothing with them.
 */
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { startEmbedded } from '../../src/platform/embedded-postgres/embedded.ts';
import type { TestAccount } from '../conformance/suite/harness.ts';
import { textMessage } from '../conformance/suite/samples.ts';
import { readArchiveFor } from './channels/xmpp/archive-reader.ts';
import { startPeer } from './channels/xmpp/peer.ts';
import { startProsody } from './channels/xmpp/prosody.ts';
import { openAccount, succeeded } from './account.ts';
import { type Product, startProduct } from './product.ts';
import { connectXmpp, trusting } from './xmpp-world.ts';
import { untilWithin } from './until.ts';

const SECRET = 'a secret of 32 characters or more';
const until = untilWithin({ withinMs: 120_000, everyMs: 50 });
const PAUSE_MS = 250;
/** Under load before it happens, and after all is taken over. */
const BEFORE_MS = 3_000;
const AFTER_MS = 5_000;
const quiet = { info() {}, warn() {}, error: console.error };

export interface NodesReport {
  accounts: number;
  /** From the kill or the freezing until each account was connected from the other server, ms. */
  takenOver: number[];
  /** Messages answered 202, at the other end, there more than once, and failed. */
  acknowledged: number;
  arrived: number;
  doubled: number;
  failed: number;
  /** What the other end sent, how much of it was stored, and how much more than once. */
  spoken: number;
  stored: number;
  storedTwice: number;
}

const getTimes = (texts: readonly string[]): Map<string, number> => {
  const times = new Map<string, number>();
  for (const text of texts) times.set(text, (times.get(text) ?? 0) + 1);
  return times;
};
const twiceIn = (times: ReadonlyMap<string, number>): number =>
  [...times.values()].filter((count) => count > 1).length;

/** @param folder an empty one. @param how killed, or frozen for so many ms */
export async function xmppNodes(
  folder: string,
  accounts: number,
  how: 'killed' | { frozenMs: number },
): Promise<NodesReport> {
  const prosody = await startProsody();
  const database = await startEmbedded({ dataDir: `${folder}/database`, log: quiet });
  const { connection } = database;
  const client = new pg.Client(connection);
  await client.connect();
  const env = {
    DATABASE_URL: `postgres://${connection.user}@${encodeURIComponent(connection.host)}:${connection.port}/${connection.database}`,
    FAIRLEAD_SECRET: SECRET,
    LOG_LEVEL: 'warn',
    ...(await trusting(prosody, folder)),
  };
  const servers: Product[] = [];
  const users = await Promise.all(Array.from({ length: accounts }, (_, n) => prosody.addUser(`user${n}`)));
  const dora = await prosody.addUser('dora');
  const peer = await startPeer(prosody, dora);
  try {
    const holder = await startProduct({ dataDir: `${folder}/first`, env });
    servers.push(holder);
    const account = await openAccount(holder.base);
    const { secret } = await account.createKey();
    const ids: string[] = [];
    for (const user of users) ids.push(await connectXmpp(account, prosody, user));
    const other = await startProduct({ dataDir: `${folder}/second`, env });
    servers.push(other);

    let isTalking = true;
    const acknowledged: string[] = [];
    const spoken: string[] = [];
    const sending = (async () => {
      for (let n = 0; isTalking; n += 1) {
        const text = `line ${n}`;
        const body = { instance_id: ids[n % accounts], to: dora.address, type: 'text', text: { body: text } };
        const headers = {
          authorization: `Bearer ${secret}`,
          'content-type': 'application/json',
          'idempotency-key': text,
        };
        const send = () =>
          fetch(`${other.base}/api/v1/messages`, { method: 'POST', headers, body: JSON.stringify(body) });
        // The dead node's transaction may hold a lock until PostgreSQL notices: 503, with the request to try again.
        let answer = await send();
        for (; answer.status === 503; answer = await send()) await delay(PAUSE_MS);
        await succeeded(answer);
        acknowledged.push(text);
        await delay(PAUSE_MS);
      }
    })();
    const saying = (async () => {
      for (let n = 0; isTalking; n += 1) {
        await peer.send({ address: users[n % accounts]!.address } as TestAccount, textMessage(`said ${n}`));
        spoken.push(`said ${n}`);
        await delay(PAUSE_MS);
      }
    })();
    const takenOver = new Map<string, number>();
    try {
      await delay(BEFORE_MS);
      const at = performance.now();
      const happenedAt = new Date();
      if (how === 'killed') await holder.kill();
      else holder.signal('SIGSTOP');
      await until('all is taken over', async () => {
        const { rows } = await client.query<{ id: string }>(
          `select id from instances where state = 'connected' and connected_at > $1`,
          [happenedAt],
        );
        for (const { id } of rows) if (!takenOver.has(id)) takenOver.set(id, performance.now() - at);
        return takenOver.size === accounts;
      });
      if (how !== 'killed') {
        await delay(Math.max(0, how.frozenMs - (performance.now() - at)));
        holder.signal('SIGCONT');
      }
      await delay(AFTER_MS);
    } finally {
      isTalking = false;
      await Promise.all([sending, saying]);
    }
    await until('everything is sent', async () => {
      const { rows } = await client.query<{ left: number }>(`select count(*)::int as left from send_queue`);
      return rows[0]!.left === 0;
    });
    const bodies = (where: string) =>
      client.query<{ text: string }>(`select content ->> 'body' as text from messages where ${where}`);
    await until('what was said is stored', async () => {
      const { rows } = await bodies(`direction = 'inbound' and content ->> 'body' like 'said %'`);
      return new Set(rows.map(({ text }) => text)).size >= spoken.length;
    }).catch(() => undefined); // counted below
    const kept = (await readArchiveFor(prosody, dora)).flatMap(
      ({ message }) => message.getChildText('body') ?? [],
    );
    const there = getTimes(kept.filter((text) => text.startsWith('line ')));
    const stored = await bodies(`direction = 'inbound' and content ->> 'body' like 'said %'`);
    const heard = getTimes(stored.rows.map(({ text }) => text));
    return {
      accounts,
      takenOver: [...takenOver.values()],
      acknowledged: acknowledged.length,
      arrived: acknowledged.filter((text) => there.has(text)).length,
      doubled: twiceIn(there),
      failed: (await bodies(`direction = 'outbound' and status = 'failed'`)).rows.length,
      spoken: spoken.length,
      stored: spoken.filter((text) => heard.has(text)).length,
      storedTwice: twiceIn(heard),
    };
  } finally {
    await peer.close();
    for (const server of servers.filter((one) => one.isRunning())) {
      server.signal('SIGCONT'); // where it is still frozen it would not hear of its end
      await server.stop();
    }
    await client.end();
    await database.stop();
    await prosody.stop();
  }
}
