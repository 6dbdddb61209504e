/**
 * Public route `/channels/{token}`. Requests are handled before Fastify reads the body: signatures cover the raw bytes.
 * GET is for handshakes of channels that verify a URL.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { callerAddress } from '../../../platform/http/caller-address.ts';
import { Problem } from '../../../platform/http/problem.ts';
import { readBody } from '../../../platform/http/read-body.ts';
import { type Ingress, noSuchInstance } from './channel-ingress.ts';

const BODY_MS = 15_000;
const ALLOW = { allow: 'GET, POST' };
const TARGET = /^\/channels\/([A-Za-z0-9_-]{1,100})(\?.*)?$/s;

async function answer(ingress: Ingress, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const { method } = request;
  if (method !== 'GET' && method !== 'POST')
    throw new Problem('method_not_allowed', `${method} is not supported here.`, { headers: ALLOW });
  const [, token, search = ''] = TARGET.exec(request.raw.url ?? '') ?? [];
  if (token === undefined) throw noSuchInstance();
  const { status, contentType, body } = await ingress.receive({
    token,
    method,
    search,
    headers: request.headers,
    address: callerAddress(request),
    readBody: (maxBytes) =>
      method === 'GET' ? Promise.resolve(Buffer.alloc(0)) : readBody(request.raw, maxBytes, BODY_MS),
  });
  void reply.code(status).headers({ 'cache-control': 'no-store', 'content-type': contentType }).send(body);
}

export function registerChannelIngress(app: FastifyInstance, ingress: Ingress): void {
  app.route({
    method: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
    url: '/channels/*',
    exposeHeadRoute: false,
    config: { keepsWhatComes: true },
    async onRequest(request, reply) {
      try {
        await answer(ingress, request, reply);
      } catch (error) {
        // Closes the connection after the response if the body was not read completely.
        if (!request.raw.complete) reply.header('connection', 'close');
        throw error;
      }
      return reply;
    },
    handler: () => undefined,
  });
}
