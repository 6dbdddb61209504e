/**
 * The counterpart of delivering: `node bare-poster.ts URL COUNT CONCURRENCY` with headers and body as JSON on standard
 * input posts the same bytes again and again by undici, so many at once, and prints the seconds that it took.
 */
import { text } from 'node:stream/consumers';
import { Agent, request } from 'undici';

const [url, count, concurrency] = process.argv.slice(2);
const { headers, body } = JSON.parse(await text(process.stdin)) as {
  headers: Record<string, string>;
  body: string;
};
const dispatcher = new Agent({ connections: Number(concurrency) });
let left = Number(count);

async function post(): Promise<void> {
  while (left-- > 0) {
    const answer = await request(url!, { method: 'POST', headers, body, dispatcher });
    await answer.body.dump();
    if (answer.statusCode !== 200) throw new Error(`answered ${answer.statusCode}`);
  }
}

const began = performance.now();
await Promise.all(Array.from({ length: Number(concurrency) }, post));
console.log((performance.now() - began) / 1000);
await dispatcher.close();
