/**
 * Public route `/in/{token}`. Requests are handled before Fastify reads the body: signatures cover the raw bytes, and
 * the sender is known before a body is read. The token never appears in logs: routes are logged by pattern.
 * | GET and HEAD, which some platforms use as a probe, are answered with 405 for any token, so they reveal nothing.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { callerAddress } from '../../../../platform/http/caller-address.ts';
import { Problem } from '../../../../platform/http/problem.ts';
import { readBody } from '../../../../platform/http/read-body.ts';
import { Publication } from '../../publications/publication.schema.ts';
import { type Ingress, nothingHere } from './ingress.ts';
import { MAX_BODY } from './payload.ts';

const BODY_MS = 15_000;
const ALLOW = { allow: 'POST, OPTIONS' };
/** Path with a secret token or a public ID. */
const TARGET = /^\/in\/([A-Za-z0-9_-]{1,100})(?:\?.*)?$/s;

async function answer(ingress: Ingress, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  if (request.method === 'OPTIONS') return void reply.code(204).headers(ALLOW).send();
  if (request.method !== 'POST')
    throw new Problem('method_not_allowed', `${request.method} is not supported here. Use POST to publish.`, {
      headers: ALLOW,
    });
  const target = request.raw.url ?? '';
  const [, token] = TARGET.exec(target) ?? [];
  if (token === undefined) throw nothingHere();
  const outcome = await ingress.receive({
    token,
    target,
    headers: request.headers,
    address: callerAddress(request),
    readBody: () => readBody(request.raw, MAX_BODY, BODY_MS),
  });
  reply.header('cache-control', 'no-store');
  if ('challenge' in outcome) void reply.code(200).send({ challenge: outcome.challenge });
  else void reply.code(202).headers(outcome.headers).send(outcome.publication);
}

export function registerIngress(app: FastifyInstance, ingress: Ingress): void {
  app.route({
    method: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
    url: '/in/*',
    exposeHeadRoute: false,
    schema: { response: { 202: Publication } },
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
