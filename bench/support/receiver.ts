/**
 * A receiver of deliveries in a process of its own: `node receiver.ts PORT`. `/hang/…` never answers. GET /report gives
 * what came as `[path, webhook-id, ms since 1970 with fractions]`, and forgets it; of `/clicks/…` also what the visit's
 * query had as `utm_content`.
 */
import { createServer } from 'node:http';

const epoch = performance.timeOrigin;
let came: [path: string, id: string, at: number, content?: string][] = [];

createServer((request, response) => {
  const path = request.url!;
  if (request.method === 'GET') {
    if (path === '/report') {
      response.end(JSON.stringify(came));
      came = [];
    } else response.end('ready');
    return;
  }
  const one: (typeof came)[number] = [path, String(request.headers['webhook-id']), epoch + performance.now()];
  came.push(one);
  if (path.startsWith('/clicks')) {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
    request.on('end', () => {
      const { data } = JSON.parse(body) as { data: { click: { utm: { content: string } } } };
      one[3] = data.click.utm.content;
    });
  } else request.resume();
  if (!path.startsWith('/hang')) request.on('end', () => response.end());
}).listen(Number(process.argv[2]), '127.0.0.1');
