/**
 * The bare counterpart of a redirect: `node:http` that answers every address 302 with the same headers, and keeps
 * nothing. `node bench/support/bare-redirect.ts <port> <location>`
 */
import { createServer } from 'node:http';
import { KEEP_ALIVE_MS } from '../../src/platform/http/server.ts';

const [port = '', location = ''] = process.argv.slice(2);
const headers = ['Location', location, 'Cache-Control', 'private, no-store', 'Content-Length', '0'];

createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
  response.writeHead(request.url === '/readyz' ? 200 : 302, headers);
  response.end();
}).listen(Number(port), '127.0.0.1');
