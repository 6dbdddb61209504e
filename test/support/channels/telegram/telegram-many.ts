/** Many Telegram bots on one node: what they take when nothing happens, and that each receives and sends. */
import { setTimeout as delay } from 'node:timers/promises';
import { openAccount, succeeded } from '../../account.ts';
import { each } from '../../each.ts';
import { query } from '../../killing.ts';
import { getCpu, getPss, processesOfServer } from '../../processes.ts';
import { startProduct } from '../../product.ts';
import { untilWithin } from '../../until.ts';
import { startBotApiServer } from './bot-api-server.ts';

const until = untilWithin({ withinMs: 240_000, everyMs: 100 });
/** Until a fresh state is a settled one. */
const SETTLED_MS = 20_000;
const PERSON = 501;

export interface ManyBots {
  bots: number;
  /** MB of the server's own process: before, with all of them connected. */
  memory: [before: number, after: number];
  /** From the first call to connect until all were, ms. */
  connectedMs: number;
  /** Of a CPU, over `idleMs` in which nothing was sent: the server's own process, and all of its processes. */
  idleCpu: [own: number, all: number];
  /** One update to each bot: stored messages, and how long until all were, ms. */
  stored: number;
  storedMs: number;
  /** One message by each bot: calls of sendMessage. */
  sent: number;
}

/** @param folder an empty one. @param report is told what goes on */
export async function telegramMany(
  folder: string,
  count: number,
  { idleMs, report }: { idleMs: number; report: (line: string) => void },
): Promise<ManyBots> {
  await using server = await startBotApiServer();
  const dataDir = `${folder}/data`;
  const product = await startProduct({ dataDir, env: { EGRESS_ALLOW: '127.0.0.1', LOG_LEVEL: 'warn' } });
  try {
    const bots = Array.from({ length: count }, () => server.addBot());
    const account = await openAccount(product.base);
    const { secret } = await account.createKey();
    const call = async (path: string, body?: unknown): Promise<{ id: string }> => {
      const answer = await fetch(`${product.base}/api/v1${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return (await (await succeeded(answer)).json()) as { id: string };
    };
    const ids: string[] = Array.from({ length: count });
    await each(bots, async (bot, index) => {
      const made = await call('/instances', {
        name: `bot ${bot.id}`,
        channel: 'telegram',
        settings: { api_root: server.url, receive: 'polling' },
        credentials: { token: bot.token },
      });
      ids[index] = made.id;
    });
    const countRows = async (condition: string): Promise<number> => {
      const rows = await query<{ count: number }>(dataDir, `select count(*)::int as count from ${condition}`);
      return rows[0]!.count;
    };
    await delay(SETTLED_MS);
    const before = getPss([product.pid]);
    const began = performance.now();
    await each(ids, async (id) => void (await call(`/instances/${id}/connect`)));
    await until(
      'all are connected',
      async () => (await countRows(`instances where state = 'connected'`)) === count,
    );
    const connectedMs = performance.now() - began;
    report(`${count} connected after ${(connectedMs / 1000).toFixed(1)} s`);

    await delay(SETTLED_MS);
    const after = getPss([product.pid]);
    const used = () =>
      new Map(processesOfServer(product.pid, dataDir).map((pid) => [pid, getCpu([pid])] as const));
    const atFirst = used();
    await delay(idleMs);
    const shares = new Map([...used()].map(([pid, ms]) => [pid, (ms - (atFirst.get(pid) ?? 0)) / idleMs]));
    const whole = [...shares.values()].reduce((sum, share) => sum + share, 0);

    const from = { id: PERSON, is_bot: false, first_name: 'Person' };
    const pushedAt = performance.now();
    for (const bot of bots)
      bot.push({
        message: {
          message_id: bot.nextMessage(PERSON),
          date: Math.floor(Date.now() / 1000),
          text: 'hello',
          from,
          chat: { ...from, type: 'private' },
        },
      });
    await until(
      'every update is stored',
      async () => (await countRows(`messages where direction = 'inbound'`)) >= count,
    );
    const storedMs = performance.now() - pushedAt;
    await each(ids, async (id) => {
      const body = { instance_id: id, to: String(PERSON), type: 'text', text: { body: 'back' } };
      await call('/messages', body);
    });
    const countSent = (): number =>
      bots.reduce((sum, { calls }) => sum + calls.filter(({ method }) => method === 'sendMessage').length, 0);
    await until('every message is sent', async () => countSent() >= count);
    return {
      bots: count,
      memory: [before, after],
      connectedMs,
      idleCpu: [shares.get(product.pid)!, whole],
      stored: await countRows(`messages where direction = 'inbound'`),
      storedMs,
      sent: countSent(),
    };
  } finally {
    await product.stop();
  }
}
