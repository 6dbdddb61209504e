/**
 * Many XMPP accounts at one server: what they take when nothing happens, and how they come back after their server was away.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { TestAccount } from '../conformance/suite/harness.ts';
import { textMessage } from '../conformance/suite/samples.ts';
import { startPeer } from './channels/xmpp/peer.ts';
import { startProsody } from './channels/xmpp/prosody.ts';
import { openAccount, succeeded } from './account.ts';
import { each } from './each.ts';
import { query } from './killing.ts';
import { getCpu, processesOfServer, getPss } from './processes.ts';
import { startProduct } from './product.ts';
import { accountAt, trusting } from './xmpp-world.ts';
import { untilWithin } from './until.ts';

const until = untilWithin({ withinMs: 240_000, everyMs: 100 });
/** Until a fresh state is a settled one. */
const SETTLED_MS = 20_000;

export interface ManyReport {
  accounts: number;
  /** MB of the server's own process: before, with all of them connected. */
  memory: [before: number, after: number];
  /** From the first call to connect until all were, ms. */
  connectedMs: number;
  /** Of a CPU, over `idleMs` in which nothing was sent: the server's own process, and all of its processes. */
  idleCpu: [own: number, all: number];
  /** Of each account, from the return of the server until it was connected, ms. */
  back: number[];
  /** Sent by the accounts while the server was away; at the other end; there more than once. */
  accepted: number;
  arrived: number;
  doubled: number;
  /** Sent to the accounts right after the return; stored; more than once. */
  sentToUs: number;
  stored: number;
  storedTwice: number;
}

const spare = (texts: readonly string[]): number => texts.length - new Set(texts).size;

/** @param folder an empty one. @param tell is told what goes on */
export async function xmppMany(
  folder: string,
  accounts: number,
  { idleMs, awayMs, report }: { idleMs: number; awayMs: number; report: (line: string) => void },
): Promise<ManyReport> {
  const prosody = await startProsody();
  const dataDir = `${folder}/data`;
  const product = await startProduct({
    dataDir,
    env: { ...(await trusting(prosody, folder)), LOG_LEVEL: 'warn' },
  });
  const peer = await startPeer(prosody, await prosody.addUser('peer'));
  try {
    const users = await Promise.all(Array.from({ length: accounts }, (_, n) => prosody.addUser(`user${n}`)));
    const account = await openAccount(product.base);
    const { secret } = await account.createKey();
    const call = async (method: string, path: string, body?: unknown): Promise<{ id: string }> => {
      const answer = await fetch(`${product.base}/api/v1${path}`, {
        method,
        headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return (await (await succeeded(answer)).json()) as { id: string };
    };
    const ids: string[] = Array.from({ length: accounts });
    await each(users, async (user, index) => {
      ids[index] = (await call('POST', '/instances', accountAt(prosody, user))).id;
    });
    const states = async (): Promise<Map<string, string>> => {
      const rows = await query<{ address: string; state: string }>(
        dataDir,
        `select address, state from instances where channel = 'xmpp'`,
      );
      return new Map(rows.map(({ address, state }) => [address, state]));
    };
    const all = async (state: string): Promise<boolean> =>
      [...(await states()).values()].every((one) => one === state);

    await delay(SETTLED_MS);
    const before = getPss([product.pid]);
    const began = performance.now();
    await each(ids, async (id) => void (await call('POST', `/instances/${id}/connect`)));
    await until('all are connected', () => all('connected'));
    const connectedMs = performance.now() - began;
    report(`${accounts} connected after ${(connectedMs / 1000).toFixed(1)} s`);

    await delay(SETTLED_MS);
    const after = getPss([product.pid]);
    // Connections of the database come and go: of those that ended the rest is not known.
    const used = () =>
      new Map(processesOfServer(product.pid, dataDir).map((pid) => [pid, getCpu([pid])] as const));
    const atFirst = used();
    await delay(idleMs);
    const shares = new Map([...used()].map(([pid, ms]) => [pid, (ms - (atFirst.get(pid) ?? 0)) / idleMs]));
    const whole = [...shares.values()].reduce((sum, share) => sum + share, 0);
    const idleCpu: [number, number] = [shares.get(product.pid)!, whole];
    report(`${before.toFixed(0)} MB before, ${after.toFixed(0)} MB after; idle: ${idleCpu.join(', ')} CPU`);

    await prosody.stopServer();
    const goneAt = performance.now();
    await until('every loss is noticed', () => all('reconnecting'));
    await each(ids, async (id, index) => {
      const text = { body: `meanwhile ${index}` };
      await call('POST', '/messages', { instance_id: id, to: peer.address, type: 'text', text });
    });
    await delay(Math.max(0, awayMs - (performance.now() - goneAt)));
    await prosody.startServer();
    const returnedAt = performance.now();
    const back = new Map<string, number>();
    const returning = until('every account is connected', async () => {
      for (const [address, state] of await states())
        if (state === 'connected' && !back.has(address)) back.set(address, performance.now() - returnedAt);
      return back.size === accounts;
    });
    for (const { address } of users)
      await peer.send({ address } as TestAccount, textMessage(`again ${address}`));
    await returning;
    const textsSeen = async (): Promise<string[]> =>
      (await peer.seen()).flatMap((sight) => (sight.kind === 'message' ? (sight.text ?? []) : []));
    await until('every message arrives', async () => new Set(await textsSeen()).size >= accounts);
    const stored = async (): Promise<string[]> => {
      const rows = await query<{ text: string }>(
        dataDir,
        `select content ->> 'body' as text from messages where direction = 'inbound' and content ->> 'body' like 'again %'`,
      );
      return rows.map(({ text }) => text);
    };
    await until('every message is stored', async () => new Set(await stored()).size >= accounts);
    const [seen, heard] = [await textsSeen(), await stored()];
    return {
      accounts,
      memory: [before, after],
      connectedMs,
      idleCpu,
      back: [...back.values()],
      accepted: accounts,
      arrived: new Set(seen).size,
      doubled: spare(seen),
      sentToUs: accounts,
      stored: new Set(heard).size,
      storedTwice: spare(heard),
    };
  } finally {
    await peer.close();
    await product.stop();
    await prosody.stop();
  }
}
