/** Templates that would loop for ever or fill the memory, and what others notice of them. */
import { setTimeout as delay } from 'node:timers/promises';
import { type Account, openAccount, succeeded } from '../../test/support/account.ts';
import { SERVER, startProduct } from '../../test/support/product.ts';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { percentile } from '../../test/support/percentile.ts';
import { type Bench } from '../support/figure.ts';

const MAX_MORE_MS = 20;
const MAX_TO_STOP_MS = 100;
const ATTACKERS = 4;
const RATE = 200;

const TEMPLATES: Record<string, string> = {
  'loops within loops':
    '{% for a in (1..1000) %}{% for b in (1..1000) %}{% for c in (1..1000) %}{% endfor %}{% endfor %}{% endfor %}',
  '100 MB, written bit by bit':
    '{% capture s %}{% for a in (1..100) %}0123456789{% endfor %}{% endcapture %}{% for a in (1..1000) %}{% for b in (1..100) %}{{ s }}{% endfor %}{% endfor %}',
  '100 MB, by doubling': `{% assign s = "0123456789" %}${'{% assign s = s | append: s %}'.repeat(24)}{{ s }}`,
};

const preview = (account: Account['call'], template: string): Promise<Response> =>
  account('POST', '/webhooks/preview', { event_type: 'ping', template });

/** How long answers of `GET /me` take, asked for at a steady rate. */
async function probe(url: string, headers: Record<string, string>, seconds: number) {
  const took: number[] = [];
  const under: Promise<void>[] = [];
  const from = performance.now();
  for (let n = 0; n < RATE * seconds; n++) {
    const due = from + (n * 1000) / RATE;
    await delay(Math.max(0, due - performance.now()));
    const at = performance.now();
    under.push(
      fetch(url, { headers }).then(async (answer) => {
        await (await succeeded(answer)).arrayBuffer();
        took.push(performance.now() - at);
      }),
    );
  }
  await Promise.all(under);
  return { p50: percentile(took, 0.5), p99: percentile(took, 0.99), longest: percentile(took, 1) };
}

/** How long it takes until a template is refused, on a server that does nothing else. */
async function timeToStop(
  call: Account['call'],
  template: string,
  rounds: number,
): Promise<{ ms: number; code: string }> {
  let ms = Infinity;
  let code = '';
  for (let round = 0; round < rounds; round++) {
    await preview(call, 'a worker that runs');
    const at = performance.now();
    const answer = (await (await succeeded(await preview(call, template))).json()) as {
      error: { code: string } | null;
    };
    ms = Math.min(ms, performance.now() - at);
    code = answer.error?.code ?? 'none';
    await delay(1000);
  }
  return { ms, code };
}

export const templates: Bench = async ({ quick, report }) => {
  const seconds = quick ? 1 : 30;
  await using folder = await temporaryFolder();
  const product = await startProduct({ dataDir: folder.path, command: SERVER });
  try {
    const account = await openAccount(product.base);
    const { secret } = await account.createKey();
    const headers = { authorization: `Bearer ${secret}` };
    const url = `${product.base.replace('localhost', '127.0.0.1')}/api/v1/me`;

    const stopped: [string, { ms: number; code: string }][] = [];
    for (const [name, template] of Object.entries(TEMPLATES)) {
      stopped.push([name, await timeToStop(account.call, template, quick ? 1 : 3)]);
      report(`templates: ${name}: ${stopped.at(-1)![1].ms.toFixed(0)} ms`);
    }

    await probe(url, headers, quick ? 1 : 3);
    const without = await probe(url, headers, seconds);
    report(`templates: p99 of /me ${without.p99.toFixed(1)} ms without`);
    let attacks = 0;
    let ends = false;
    const attackers = await Promise.all(
      Array.from({ length: ATTACKERS }, async (_, n) => {
        const made = await succeeded(await account.call('POST', '/workspaces', { name: `Attacker ${n}` }));
        const { id } = (await made.json()) as { id: string };
        const attack = async (): Promise<void> => {
          const sources = Object.values(TEMPLATES);
          while (!ends) {
            const answer = await account.call(
              'POST',
              '/webhooks/preview',
              { event_type: 'ping', template: sources[attacks % sources.length] },
              { workspace: id },
            );
            await answer.arrayBuffer();
            attacks += 1;
            // Whoever is told to wait is told so at once.
            await delay(10);
          }
        };
        return [attack, attack];
      }),
    );
    const running = attackers.flat().map((attack) => attack());
    await delay(1000);
    const beside = await probe(url, headers, seconds);
    ends = true;
    await Promise.all(running);
    report(`templates: p99 of /me ${beside.p99.toFixed(1)} ms under ${attacks} attacks`);

    const row = (name: string, one: typeof without): string[] => [
      name,
      one.p50.toFixed(1),
      one.p99.toFixed(1),
      one.longest.toFixed(0),
    ];
    const slowest = Math.max(...stopped.map(([, { ms }]) => ms));
    return {
      title: 'Templates that never finish',
      method: `With \`POST /webhooks/preview\`. First each template alone, until it is rejected (best of three, including HTTP, with a worker already running). Then \`GET /me\` ${RATE} times a second for ${seconds} s, without other load and while ${ATTACKERS} workspaces send such templates, two at a time, as fast as they get responses (${attacks} in all). Server, database, load and attackers share the machine's cores.`,
      columns: ['`GET /me`', 'p50 ms', 'p99 ms', 'longest ms'],
      rows: [row('alone', without), row('under attack', beside)],
      targets: [
        {
          text: `${stopped.map(([name, { ms, code }]) => `${name}: ${ms.toFixed(0)} ms (\`${code}\`)`).join('; ')} (target: at most ${MAX_TO_STOP_MS} ms).`,
          met: slowest <= MAX_TO_STOP_MS && stopped.every(([, { code }]) => code !== 'none'),
        },
        {
          text: `p99 of other requests rises by ${(beside.p99 - without.p99).toFixed(1)} ms (target: less than ${MAX_MORE_MS}).`,
          met: beside.p99 - without.p99 < MAX_MORE_MS,
        },
      ],
    };
  } finally {
    await product.stop();
  }
};
