/**
 * The bare counterparts of `GET /api/v1/me`: Fastify routes with the same response schema that give the object they
 * were started with; `/same` with the headers that they were started with, so that the whole answer is the same bytes,
 * `/body` with Fastify's own. `node bench/support/bare-me.ts <port> <body JSON> <headers JSON>`
 */
import Fastify from 'fastify';
import { meOperations } from '../../src/core/account/me.routes.ts';
import { KEEP_ALIVE_MS } from '../../src/platform/http/server.ts';

const [port = '', bodyText = '', headersText = ''] = process.argv.slice(2);
const body = JSON.parse(bodyText) as object;
const headers = JSON.parse(headersText) as Record<string, string>;
const { success } = meOperations({ baseUrl: 'http://localhost:3000' })[0]!.spec;
const schema = { response: { 200: success.schema } };

const app = Fastify({ keepAliveTimeout: KEEP_ALIVE_MS });
app.get('/same', { schema }, async (_request, reply) => {
  reply.headers(headers);
  return body;
});
app.get('/body', { schema }, async () => body);
app.get('/readyz', async () => ({ status: 'ok' }));
await app.listen({ host: '127.0.0.1', port: Number(port) });
