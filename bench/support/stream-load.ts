/**
 * Many streams at the same time: `node bench/support/stream-load.ts <JSON of a StreamLoad>` prints a StreamResult as JSON.
 * Each of `streams` clients opens the next stream when the one before has ended; they begin evenly over the length of one.
 */
import { Agent, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { CHUNK, END } from './stream-chunks.ts';

export interface StreamLoad {
  /** Of the provider or of Fairlead; ends with /v1. */
  url: string;
  key: string;
  model: string;
  streams: number;
  chunks: number;
  /** Milliseconds between two chunks; 0 for as fast as possible. */
  everyMs: number;
  /** Measured, after all streams have begun. */
  seconds: number;
}

export interface StreamResult {
  /** Chunks that arrived in the measured time. */
  chunks: number;
  /** Streams that ended in that time. */
  ended: number;
  seconds: number;
  /** From the request to the first byte of the body, of streams that began in that time. */
  firstByteMs: number[];
  /** Calls that failed, or whose bytes were not those that the provider sends. */
  errors: string[];
}

const given = JSON.parse(process.argv[2]!) as StreamLoad;
const { url, key, model, streams, chunks, everyMs, seconds } = given;
const agent = new Agent({ keepAlive: true, maxSockets: Infinity });
// Asking for usage, so that the provider's bytes are those that the caller gets.
const body = JSON.stringify({
  model,
  messages: [{ role: 'user', content: 'Count to a hundred.' }],
  stream: true,
  stream_options: { include_usage: true },
  max_tokens: 100,
  chunks,
  every_ms: everyMs,
});
const EXPECTED = chunks * CHUNK.length + END.length;

const result: StreamResult = { chunks: 0, ended: 0, seconds, firstByteMs: [], errors: [] };
let isMeasured = false;
let isOver = false;
let bytes = 0;

const open = (): Promise<void> =>
  new Promise((resolve) => {
    const startedAt = performance.now();
    const wasMeasured = isMeasured;
    let received = 0;
    const end = (error?: string): void => {
      if (error && !isOver && result.errors.length < 10) result.errors.push(error);
      if (isMeasured) result.ended += 1;
      resolve();
    };
    const call = request(
      `${url}/chat/completions`,
      {
        agent,
        method: 'POST',
        headers: {
          authorization: `Bearer ${key}`,
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
        },
      },
      (response) => {
        let refusal = '';
        response.on('data', (chunk: Buffer) => {
          if (response.statusCode !== 200) refusal += chunk.toString();
          if (received === 0 && wasMeasured) result.firstByteMs.push(performance.now() - startedAt);
          received += chunk.length;
          if (isMeasured) bytes += chunk.length;
        });
        response.on('end', () => {
          if (response.statusCode === 200 && received === EXPECTED) end();
          else end(`${response.statusCode}, ${received} of ${EXPECTED} bytes${refusal && `: ${refusal}`}`);
        });
        response.on('error', (error) => end(error.message));
      },
    );
    call.on('error', (error) => end(error.message));
    call.end(body);
  });

const rampMs = Math.max(1_000, chunks * everyMs);
const clients = Array.from({ length: streams }, async (_, nth) => {
  await delay((nth / streams) * rampMs);
  while (!isOver) await open();
});
await delay(rampMs + 1_000);
isMeasured = true;
const since = performance.now();
await delay(seconds * 1_000);
isMeasured = false;
isOver = true;
result.seconds = (performance.now() - since) / 1_000;
result.chunks = bytes / CHUNK.length;
agent.destroy();
await Promise.all(clients);
process.stdout.write(JSON.stringify(result));
