/**
 * A model provider for benchmarks: `node bench/support/stream-upstream.ts <port>`. A chat completion that streams has
 * `chunks` chunks, one each `every_ms` milliseconds (0: as fast as they are read); both stand in the request. Any other is
 * answered at once.
 */
import { createServer, type ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { text } from 'node:stream/consumers';
import { CHUNK, DOCUMENT, END } from './stream-chunks.ts';
import { drained } from '../../test/support/drained.ts';

const [port = ''] = process.argv.slice(2);

async function answer(response: ServerResponse, chunks: number, everyMs: number): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const startedAt = performance.now();
  for (let nth = 0; nth < chunks && !response.destroyed; nth += 1) {
    const isOpen = response.write(CHUNK);
    if (everyMs) await delay(Math.max(0, startedAt + (nth + 1) * everyMs - performance.now()));
    else if (!isOpen) await drained(response);
  }
  response.end(END);
}

createServer(async (request, response) => {
  if (request.method === 'GET') {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(
      '{"object":"list","data":[{"id":"stream","object":"model","created":1,"owned_by":"bench"}]}',
    );
    return;
  }
  const {
    stream,
    chunks = 1,
    every_ms: everyMs = 0,
  } = JSON.parse(await text(request)) as { stream?: boolean; chunks?: number; every_ms?: number };
  if (!stream) {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': DOCUMENT.length });
    response.end(DOCUMENT);
    return;
  }
  await answer(response, chunks, everyMs);
}).listen(Number(port), '127.0.0.1', 2_048);
