/**
 * The bare counterpart of a model call that streams: `node bench/support/stream-relay.ts <port> <URL of the provider>` passes
 * each request on with node:http, and pipes the response back. It authenticates, reserves, reads and records nothing.
 */
import { Agent, createServer, request } from 'node:http';

const [port = '', url = ''] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true, maxSockets: Infinity });
const { origin } = new URL(url);

createServer((incoming, outgoing) => {
  const call = request(
    `${origin}${incoming.url}`,
    { agent, method: incoming.method, headers: incoming.headers },
    (response) => {
      outgoing.writeHead(response.statusCode!, { 'content-type': response.headers['content-type'] });
      response.pipe(outgoing);
    },
  );
  call.on('error', () => outgoing.destroy());
  outgoing.on('close', () => call.destroy());
  incoming.pipe(call);
}).listen(Number(port), '127.0.0.1', 2_048);
