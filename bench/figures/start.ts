/** From the start of the process to the first 200 of /readyz: on an empty folder, and again on the same. */
import { join } from 'node:path';
import { SERVER, startProduct } from '../../test/support/product.ts';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { type Bench, median } from '../support/figure.ts';

const FIRST_MS = 2500;
const AGAIN_MS = 1000;
const STOP_MS = 10_000;

const WAYS: Record<string, [string, ...string[]]> = {
  '`fairlead`': SERVER,
  '`npm start`': ['npm', 'start'],
};

interface Round {
  first: number;
  again: number;
  stop: number;
}

async function round(command: [string, ...string[]], folder: string): Promise<Round> {
  // A cache of its own, empty as after an installation: the package's has what earlier starts left there.
  const env = { NODE_COMPILE_CACHE: join(folder, 'compiled') };
  const dataDir = join(folder, 'data');
  const product = await startProduct({ dataDir, env, command });
  const { ms } = await product.stop();
  const restarted = await startProduct({ dataDir, env, command });
  await restarted.stop();
  return { first: product.readyMs, again: restarted.readyMs, stop: ms };
}

export const start: Bench = async ({ quick, report }) => {
  const rounds = quick ? 1 : 3;
  // Removed once all is measured: where many files were deleted shortly before, ext4 takes a second longer to create those
  // of a new database.
  await using folder = await temporaryFolder();
  const rows: string[][] = [];
  const targets: { text: string; met: boolean }[] = [];
  const values = { firstStart: 0, restart: 0 };
  for (const [name, way] of Object.entries(WAYS)) {
    const results: Round[] = [];
    for (let index = 0; index < rounds; index += 1)
      results.push(await round(way, join(folder.path, way.at(-1)!.replaceAll('/', '-'), String(index))));
    // What is done at each start is in the fastest one, too; what else the machine did is not.
    const fastest = (key: 'first' | 'again'): number =>
      Math.min(...results.map((result) => result[key])) / 1000;
    values.firstStart = Math.max(values.firstStart, fastest('first'));
    values.restart = Math.max(values.restart, fastest('again'));
    const of = (key: keyof Round): number => median(results.map((result) => result[key]));
    const longest = (key: keyof Round): string =>
      Math.max(...results.map((result) => result[key])).toFixed(0);
    const cell = (key: keyof Round): string => `${of(key).toFixed(0)} (${longest(key)})`;
    rows.push([name, cell('first'), cell('again'), cell('stop')]);
    targets.push(
      {
        text: `${name}: first start in ${of('first').toFixed(0)} ms (target: at most ${FIRST_MS}).`,
        met: of('first') <= FIRST_MS,
      },
      {
        text: `${name}: restart in ${of('again').toFixed(0)} ms (target: at most ${AGAIN_MS}).`,
        met: of('again') <= AGAIN_MS,
      },
      { text: `${name}: a stop within 10 s.`, met: Number(longest('stop')) < STOP_MS },
    );
    report(`start, ${name}: ${rows.at(-1)!.slice(1).join(', ')} ms`);
  }
  return {
    title: 'Start, restart, stop',
    method: `Time from starting the process to the first 200 of \`/readyz\`, with the embedded database; ${rounds} rounds, each in a new folder, with a code cache that is empty at the first start; median (longest). The bundles are already built.`,
    columns: ['', 'first start ms', 'restart ms', 'stop ms'],
    rows,
    targets,
    values,
  };
};
