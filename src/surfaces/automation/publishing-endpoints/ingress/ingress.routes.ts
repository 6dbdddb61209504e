/**
 * Public route `/in/{token}`. Requests are handled before Fastify reads the body: signatures cover the raw bytes, and
 * the sender is known before a body is read. The token never appears in logs: routes are logged by pattern.
 * | Methods other than POST are answered with 405 for any token, unless the request has the form of a platform's
 * handshake (handshakes.ts); OPTIONS with 204. HEAD reveals no more than POST: whether there is an endpoint.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { callerAddress } from '../../../../platform/http/caller-address.ts';
import { readBody } from '../../../../platform/http/read-body.ts';
import { Publication } from '../../publications/records/publication.schema.ts';
import { isCandidate } from './handshakes.ts';
import { ALLOW, getQuery, type Ingress, nothingHere, wrongMethod } from './ingress.ts';
import { MAX_BODY } from './payload.ts';

const BODY_MS = 15_000;
/** Path with a secret token or a public ID. */
const TARGET = /^\/in\/([A-Za-z0-9_-]{1,100})(?:\?.*)?$/s;

async function answer(ingress: Ingress, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const { method, headers } = request;
  const target = request.raw.url ?? '';
  if (method !== 'POST' && !isCandidate({ method, query: getQuery(target), headers })) {
    if (method === 'OPTIONS') return void reply.code(204).headers(ALLOW).send();
    throw wrongMethod(method);
  }
  const [, token] = TARGET.exec(target) ?? [];
  if (token === undefined) throw nothingHere();
  const outcome = await ingress.receive({
    method,
    token,
    target,
    headers,
    address: callerAddress(request),
    readBody: () => readBody(request.raw, MAX_BODY, BODY_MS),
  });
  reply.header('cache-control', 'no-store');
  if ('handshake' in outcome) {
    const { type, body, headers: added = {} } = outcome.handshake;
    return void reply.code(200).headers(added).type(type).send(body);
  }
  void reply.code(outcome.status).headers(outcome.headers);
  if ('publication' in outcome) void reply.send(outcome.publication);
  else void reply.type('application/json; charset=utf-8').send(JSON.stringify(outcome.batch));
}

export function registerIngress(app: FastifyInstance, ingress: Ingress): void {
  app.route({
    method: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
    url: '/in/*',
    exposeHeadRoute: false,
    schema: { response: { 200: Publication, 202: Publication } },
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
