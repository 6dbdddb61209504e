/** `GET /api/v1/links?limit=50` of a million links: each filter, each order. */
import { openAccount } from '../../test/support/account.ts';
import { SERVER, startProduct } from '../../test/support/product.ts';
import { openPool } from '../../src/platform/db/database.ts';
import { runningConnection } from '../../src/platform/embedded-postgres/embedded.ts';
import { toUuid } from '../../src/core/vocabulary/ids.ts';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { onServerCore, WHERE } from '../support/cores.ts';
import { type Bench, median } from '../support/figure.ts';
import { layLinks } from '../support/many-links.ts';

const SORTS = ['created_at', 'clicks', 'last_clicked_at'] as const;
const MAX_MS = 20;

export const linkLists: Bench = async ({ quick, report }) => {
  const count = quick ? 20_000 : 1_000_000;
  const calls = quick ? 2 : 50;
  await using folder = await temporaryFolder();
  const product = await startProduct({
    dataDir: folder.path,
    env: { ROLE: 'api', LOG_LEVEL: 'warn' },
    command: onServerCore(...SERVER),
  });
  const account = await openAccount(product.base);
  const { secret, id: key } = await account.createKey();
  const { id: rareKey } = await account.createKey({ name: 'rare' });
  const pool = openPool({ ...(await runningConnection(folder.path))!, max: 1 }, () => undefined);
  try {
    const { filters } = await layLinks(
      pool,
      toUuid('workspace', account.workspace)!,
      count,
      [key, rareKey],
      report,
    );
    const list = async (query: string) => {
      const began = performance.now();
      const answer = await fetch(`${product.base}/api/v1/links?limit=50${query}`, {
        headers: { authorization: `Bearer ${secret}` },
      });
      const body = (await answer.json()) as { data: unknown[]; next_cursor: string | null };
      if (answer.status !== 200) throw new Error(`${query}: ${answer.status} ${JSON.stringify(body)}`);
      return { ms: performance.now() - began, found: body.data.length, cursor: body.next_cursor };
    };
    const rows: string[][] = [];
    let slowest = 0;
    for (const [name, { query, fits }] of Object.entries(filters)) {
      const cells: string[] = [];
      for (const sort of SORTS) {
        const asked = `${query === '' ? '' : `&${query}`}&sort=${sort}`;
        const first = await list(asked);
        if (first.cursor === null && first.found < fits)
          throw new Error(`${asked}: ${first.found} found, at least ${fits} expected`);
        const times: number[] = [];
        for (let call = 0; call < calls; call++) times.push((await list(asked)).ms);
        // The page behind costs the same.
        const next = first.cursor === null ? null : await list(`${asked}&cursor=${first.cursor}`);
        const typical = median(times);
        slowest = Math.max(slowest, typical);
        cells.push(
          `${typical.toFixed(1)}${next === null ? '' : ` (${next.ms.toFixed(1)})`}${first.found < fits ? `, ${first.found} found` : ''}`,
        );
      }
      report(`link-lists, ${name}: ${cells.join(' / ')}`);
      rows.push([name, ...cells]);
    }
    return {
      title: '`GET /api/v1/links?limit=50` of many links',
      method: `A workspace with ${count.toLocaleString('en')} links; calls in sequence, ${calls} for each figure, from call to parsed response; median in ms, followed by the first call of the second page; ${WHERE}, the database on the server's core. If a filter with few matches is combined with another order, a page may end early with \`has_more\`; then the number of found links is shown.`,
      columns: ['filter', ...SORTS.map((sort) => `by ${sort}`)],
      rows,
      targets: [
        {
          text: `The slowest takes ${slowest.toFixed(1)} ms (target: less than ${MAX_MS}).`,
          met: slowest < MAX_MS,
        },
      ],
    };
  } finally {
    await pool.end();
    await product.stop();
  }
};
