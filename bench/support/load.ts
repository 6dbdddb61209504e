/** HTTP load by `wrk` where it is installed, else autocannon. Every answer must be a success. */
import { execFile, spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import type { AutocannonResult } from './autocannon-load.ts';
import { onLoadCore } from './cores.ts';

export interface Load {
  url: string;
  headers?: Record<string, string>;
  /** JSON that is posted; without it, it is a GET. */
  body?: string;
  /** Paths that are asked for in the order of a sequence of their places, instead of `url`'s own. */
  many?: { paths: string[]; sequence: number[] };
  connections: number;
  seconds: number;
}

export interface LoadResult {
  requestsPerSecond: number;
  /** Answers in all. */
  requests: number;
  p50: number;
  p99: number;
}

const HAS_WRK = spawnSync('wrk', ['--version']).error === undefined;
export const GENERATOR = HAS_WRK ? 'wrk' : 'autocannon';

const UNITS: Record<string, number> = { us: 0.001, ms: 1, s: 1000, m: 60_000 };

/** `1.23ms` → 1.23. */
function milliseconds(text: string): number {
  const [, number, unit] = /^([\d.]+)(us|ms|s|m)$/.exec(text)!;
  return Number(number) * UNITS[unit!]!;
}

const run = async (...command: [string, ...string[]]): Promise<string> => {
  const [program, ...args] = onLoadCore(...command);
  const { stdout } = await promisify(execFile)(program, args, { maxBuffer: 16 * 1024 * 1024 });
  return stdout;
};

/** A script of wrk that posts; JSON's strings are Lua's, but for \u. */
async function posting(body: string, folder: string): Promise<string[]> {
  const script = join(folder, 'post.lua');
  const text = JSON.stringify(body);
  if (/\\[u/]/.test(text)) throw new Error('Lua would read this text otherwise');
  await writeFile(
    script,
    `wrk.method = "POST"\nwrk.headers["content-type"] = "application/json"\nwrk.body = ${text}\n`,
  );
  return ['-s', script];
}

/** A script of wrk that goes through a sequence of paths, whose requests are made before the load begins. */
async function following({ paths, sequence }: NonNullable<Load['many']>, folder: string): Promise<string[]> {
  const script = join(folder, 'paths.lua');
  const lists = [join(folder, 'paths'), join(folder, 'sequence')] as const;
  await writeFile(lists[0], paths.join('\n'));
  await writeFile(lists[1], sequence.join('\n'));
  await writeFile(
    script,
    `local requests, sequence, at = {}, {}, 0
function init()
  for path in io.lines(${JSON.stringify(lists[0])}) do requests[#requests + 1] = wrk.format("GET", path) end
  for place in io.lines(${JSON.stringify(lists[1])}) do sequence[#sequence + 1] = tonumber(place) + 1 end
end
function request()
  at = at % #sequence + 1
  return requests[sequence[at]]
end
`,
  );
  return ['-s', script];
}

async function byWrk({ url, headers = {}, body, many, connections, seconds }: Load): Promise<LoadResult> {
  await using folder = await temporaryFolder();
  const post =
    body !== undefined ? await posting(body, folder.path) : many ? await following(many, folder.path) : [];
  const lines = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
  const told = await run(
    'wrk',
    '-t1',
    `-c${connections}`,
    `-d${seconds}s`,
    '--latency',
    ...post,
    ...lines,
    url,
  );
  const faults = /Non-2xx or 3xx responses: \d+|Socket errors: .*/.exec(told);
  if (faults) throw new Error(`${url}: ${faults[0]}`);
  const find = (pattern: RegExp): string => pattern.exec(told)![1]!;
  return {
    requestsPerSecond: Number(find(/Requests\/sec:\s+([\d.]+)/)),
    requests: Number(find(/(\d+) requests in/)),
    p50: milliseconds(find(/^\s+50%\s+(\S+)/m)),
    p99: milliseconds(find(/^\s+99%\s+(\S+)/m)),
  };
}

async function byAutocannon(given: Load): Promise<LoadResult> {
  await using folder = await temporaryFolder();
  const file = join(folder.path, 'load.json');
  await writeFile(file, JSON.stringify(given));
  const text = await run(process.execPath, join(import.meta.dirname, 'autocannon-load.ts'), file);
  const result = JSON.parse(text) as AutocannonResult;
  const [answered, failed] = [result['2xx'] + result['3xx'], result['1xx'] + result['4xx'] + result['5xx']];
  if (failed || result.errors)
    throw new Error(`${given.url}: ${failed} answers that are no success, ${result.errors} errors`);
  return {
    requestsPerSecond: answered / result.duration,
    requests: answered,
    p50: result.latency.p50,
    p99: result.latency.p99,
  };
}

/** @throws Error when an answer wasn't a 2xx or 3xx, or a connection broke. */
export const load: (load: Load) => Promise<LoadResult> = HAS_WRK ? byWrk : byAutocannon;
