/** The product with links that are followed, and what it counted of them. */
import { setTimeout as delay } from 'node:timers/promises';
import { type Account, openAccount, succeeded } from '../../test/support/account.ts';
import { getCommand, getTree } from '../../test/support/processes.ts';
import { type Product, SERVER, startProduct } from '../../test/support/product.ts';
import { openPool } from '../../src/platform/db/database.ts';
import { runningConnection } from '../../src/platform/embedded-postgres/embedded.ts';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { onServerCore } from './cores.ts';

export const TARGET = 'https://shop.example.com/campaigns/spring?ref=newsletter';
/** Links in one call. */
const AT_ONCE = 1_000;
const LOADED_WITHIN_MS = 240_000;

export interface RedirectWorld extends AsyncDisposable {
  product: Product;
  account: Account;
  /** Of the server, without the database's. */
  pids: number[];
  /** @returns the slugs of new links */
  makeLinks(count: number): Promise<string[]>;
  /** Clicks in counters, in sums of the workspace by day, and as rows. */
  counted(): Promise<{ counters: number; sums: number; rows: number }>;
  /** Waits until `clicks` are counted. @returns how long it took, in ms; Infinity where it took too long */
  loaded(clicks: number): Promise<number>;
}

/** Several processes have all cores, one has one for itself. */
export async function openRedirectWorld(env: Record<string, string>): Promise<RedirectWorld> {
  const folder = await temporaryFolder();
  const product = await startProduct({
    dataDir: folder.path,
    env: { LOG_LEVEL: 'warn', ...env },
    command: env.PROCESSES ? SERVER : onServerCore(...SERVER),
  });
  const account = await openAccount(product.base);
  const connection = (await runningConnection(folder.path))!;
  const pool = openPool({ ...connection, max: 1 }, () => undefined);
  const counted = async () => {
    const { rows } = await pool.query<{ counters: string; sums: string; rows: string }>(
      `select (select coalesce(sum(clicks + bot_clicks), 0) from link_counters) as counters,
         (select coalesce(sum(clicks + bots), 0) from click_rollups
          where scope_id = workspace_id and resolution = 'day') as sums,
         (select count(*) from clicks) as rows`,
    );
    const { counters, sums, rows: kept } = rows[0]!;
    return { counters: Number(counters), sums: Number(sums), rows: Number(kept) };
  };
  return {
    product,
    account,
    pids: getTree(product.pid).filter((pid) => !/postgres/.test(getCommand(pid))),
    counted,
    async makeLinks(count) {
      const slugs: string[] = [];
      while (slugs.length < count) {
        const links = Array.from({ length: Math.min(AT_ONCE, count - slugs.length) }, () => ({
          url: TARGET,
        }));
        const answer = await succeeded(await account.call('POST', '/links/bulk', { links }));
        const { results } = (await answer.json()) as { results: { link: { slug: string } }[] };
        slugs.push(...results.map(({ link }) => link.slug));
      }
      return slugs;
    },
    async loaded(clicks) {
      const since = performance.now();
      for (;;) {
        const { rows } = await pool.query<{ sum: string }>(
          `select coalesce(sum(clicks + bot_clicks), 0) as sum from link_counters`,
        );
        if (Number(rows[0]!.sum) >= clicks) return performance.now() - since;
        if (performance.now() - since > LOADED_WITHIN_MS) return Infinity;
        await delay(100);
      }
    },
    async [Symbol.asyncDispose]() {
      await pool.end();
      await product.stop();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** A sequence of `length` places among `count`, as often as Zipf says (exponent 1), the same each time. */
export function zipf(count: number, length: number): number[] {
  const sums = new Float64Array(count);
  let sum = 0;
  for (let rank = 0; rank < count; rank++) sums[rank] = sum += 1 / (rank + 1);
  let state = 1;
  const random = (): number => {
    // mulberry32
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  return Array.from({ length }, () => {
    const wanted = random() * sum;
    let [low, high] = [0, count - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (sums[middle]! < wanted) low = middle + 1;
      else high = middle;
    }
    return low;
  });
}
