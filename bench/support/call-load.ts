/**
 * Model calls that don't stream: `node bench/support/call-load.ts <JSON of a CallLoad>` prints a CallLoadResult as JSON. Each
 * of `clients` sends the next call when the one before was answered.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { Pool } from 'undici';
import { DOCUMENT } from './stream-chunks.ts';

export interface CallLoad {
  /** Of the provider, of Fairlead or of another gateway; ends with /v1. */
  url: string;
  key: string;
  model: string;
  headers?: Record<string, string>;
  clients: number;
  /** Measured, after a second of warm-up. */
  seconds: number;
}

export interface CallLoadResult {
  /** Of each call that began in the measured time, from the request to the end of its response. */
  durationsMs: number[];
  seconds: number;
  /** Calls that failed, or whose response was not the provider's. */
  errors: string[];
}

const WARM_UP_MS = 1_000;

const { url, key, model, headers, clients, seconds } = JSON.parse(process.argv[2]!) as CallLoad;
const { origin, pathname } = new URL(`${url}/chat/completions`);
const pool = new Pool(origin, { connections: clients });
const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello!' }], max_tokens: 100 });
const expected = JSON.parse(DOCUMENT).choices[0].message.content as string;

const result: CallLoadResult = { durationsMs: [], seconds, errors: [] };
let isMeasured = false;
let isOver = false;

async function call(): Promise<void> {
  const startedAt = performance.now();
  const wasMeasured = isMeasured;
  const response = await pool.request({
    path: pathname,
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body,
  });
  const text = await response.body.text();
  if (wasMeasured) result.durationsMs.push(performance.now() - startedAt);
  if ((response.statusCode !== 200 || !text.includes(expected)) && result.errors.length < 10)
    result.errors.push(`${response.statusCode}: ${text.slice(0, 500)}`);
}

const running = Array.from({ length: clients }, async () => {
  while (!isOver) await call();
});
await delay(WARM_UP_MS);
isMeasured = true;
const since = performance.now();
await delay(seconds * 1_000);
isOver = true;
result.seconds = (performance.now() - since) / 1_000;
await Promise.all(running);
await pool.close();
process.stdout.write(JSON.stringify(result));
