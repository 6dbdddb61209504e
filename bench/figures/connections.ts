/** Memory of a server that holds many connections: by how much its processes are larger than without. */
import { loadavg } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { openAccount, succeeded } from '../../test/support/account.ts';
import { getCommand, processesOfServer, getPss } from '../../test/support/processes.ts';
import { type Product, startProduct } from '../../test/support/product.ts';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import type { Bench } from '../support/figure.ts';

const AT_ONCE = 8;
const MAX_MS = 120_000;

interface Shares {
  server: number;
  database: number;
}

function getShares({ pid }: Product, dataDir: string): Shares {
  const own = Map.groupBy(processesOfServer(pid, dataDir), (one) =>
    /postgres/.test(getCommand(one)) ? 'database' : 'server',
  );
  return { server: getPss(own.get('server') ?? []), database: getPss(own.get('database') ?? []) };
}

async function connected(base: string): Promise<number> {
  const text = await (await fetch(`${base}/metrics`)).text();
  const lines = text.split('\n').filter((line) => /^fairlead_instances\{.*state="connected"/.test(line));
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

export const connections: Bench = async ({ quick, report }) => {
  const count = quick ? 20 : 1_000;
  const settleMs = quick ? 500 : 15_000;
  await using folder = await temporaryFolder();
  const product = await startProduct({ dataDir: folder.path, env: { LOG_LEVEL: 'warn' } });
  try {
    const account = await openAccount(product.base);
    // As many calls as make the rest, so that what they leave is there before.
    for (let n = 0; n < 2 * count; n++) await succeeded(await account.call('GET', '/instances'));
    await delay(settleMs);
    const before = getShares(product, folder.path);
    const began = performance.now();
    let left = count;
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        while (left-- > 0) {
          const body = { name: `bench ${left}`, channel: 'sandbox' };
          const made = await succeeded(await account.call('POST', '/instances', body));
          const { id } = (await made.json()) as { id: string };
          await succeeded(await account.call('POST', `/instances/${id}/connect`));
        }
      }),
    );
    while ((await connected(product.base)) < count) {
      if (performance.now() - began > MAX_MS) throw new Error(`not all of ${count} instances connect`);
      await delay(100);
    }
    const seconds = (performance.now() - began) / 1000;
    await delay(settleMs);
    const after = getShares(product, folder.path);
    const more = after.server - before.server;
    report(`connections: ${more.toFixed(0)} MB more for ${count}`);
    const row = (name: string, part: keyof Shares) => [
      name,
      before[part].toFixed(0),
      after[part].toFixed(0),
      (after[part] - before[part]).toFixed(0),
    ];
    return {
      title: `Memory of ${count} connections`,
      method: `PSS ${settleMs / 1000} s after ${count} instances of the sandbox were created and connected through the API (${seconds.toFixed(0)} s, load ${loadavg()[0]!.toFixed(1)}), compared with the same server before, after it had served twice as many reads. Each connection is held, probed and reported; nothing is sent.`,
      columns: ['', 'MB before', 'MB with them', 'MB more'],
      rows: [row('Fairlead (Node)', 'server'), row('PostgreSQL and its watchdog', 'database')],
      targets: [
        {
          text: `${((more * 1000) / count).toFixed(0)} kB of the server's memory for each connection.`,
          met: true,
        },
      ],
    };
  } finally {
    await product.stop();
  }
};
