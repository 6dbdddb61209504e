/**
 * HTTP load by autocannon in a process of its own: `node bench/support/autocannon-load.ts <file of a Load as JSON>` prints
 * its result as JSON.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Load } from './load.ts';

export interface AutocannonResult {
  '1xx': number;
  '2xx': number;
  '3xx': number;
  '4xx': number;
  '5xx': number;
  errors: number;
  /** Seconds. */
  duration: number;
  latency: { p50: number; p99: number };
}

type Autocannon = (options: object) => Promise<AutocannonResult>;
const autocannon = createRequire(import.meta.url)('autocannon') as Autocannon;

const {
  url,
  headers = {},
  body,
  many,
  connections,
  seconds,
} = JSON.parse(readFileSync(process.argv[2]!, 'utf8')) as Load;
const post = body !== undefined && {
  method: 'POST',
  headers: { ...headers, 'content-type': 'application/json' },
  body,
};
let at = 0;
const nextPath = (request: object): object => ({
  ...request,
  path: many!.paths[many!.sequence[at++ % many!.sequence.length]!],
});

const result = await autocannon({
  url,
  connections,
  duration: seconds,
  headers,
  ...post,
  ...(many && { requests: [{ setupRequest: nextPath }] }),
});
process.stdout.write(JSON.stringify(result));
