/**
 * A receiver of deliveries in a process of its own: `node receiver.ts PORT`. `/hang/…` never answers. GET /report gives
 * what came as `[path, webhook-id, ms since 1970 with fractions]`, and forgets it.
 */
import { createServer } from 'node:http';

const epoch = performance.timeOrigin;
let came: [string, string, number][] = [];

createServer((request, response) => {
  const path = request.url!;
  if (request.method === 'GET') {
    if (path === '/report') {
      response.end(JSON.stringify(came));
      came = [];
    } else response.end('ready');
    return;
  }
  came.push([path, String(request.headers['webhook-id']), epoch + performance.now()]);
  request.resume();
  if (!path.startsWith('/hang')) request.on('end', () => response.end());
}).listen(Number(process.argv[2]), '127.0.0.1');
