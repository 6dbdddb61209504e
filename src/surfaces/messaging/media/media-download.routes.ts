/**
 * Signed addresses of media, `{BASE_URL}/media/{token}`, for receivers without a key. Other sites may embed what they
 * give; nothing runs there, nor here (content.ts).
 */
import type { ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ReadUnit } from '../../../core/unit-of-work.ts';
import { Problem } from '../../../platform/http/problem.ts';
import { plainSink, sendFile } from './content.ts';
import { type MediaServiceDeps, openByToken } from './media.service.ts';

const ALLOW = 'GET, HEAD';

export function registerMediaDownload(app: FastifyInstance, unit: ReadUnit, deps: MediaServiceDeps): void {
  const open = new Set<ServerResponse>();
  // A receiver who is cut off asks for the rest by its range.
  app.addHook('preClose', (done) => {
    for (const answer of open) answer.destroy();
    done();
  });
  app.route({
    method: ['GET', 'HEAD'],
    url: '/media/:token',
    exposeHeadRoute: false,
    config: { stream: true },
    async handler(request: FastifyRequest, reply: FastifyReply) {
      const file = await openByToken(unit, deps, (request.params as { token: string }).token);
      const more = { 'cross-origin-resource-policy': 'cross-origin' };
      const { raw } = reply;
      open.add(raw.once('close', () => open.delete(raw)));
      await sendFile(request, reply, file, more, (status, headers) => plainSink(reply, status, headers));
    },
  });
  app.route({
    method: ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
    url: '/media/:token',
    onRequest(request, _reply, done) {
      const detail = `${request.method} is not supported here.`;
      done(new Problem('method_not_allowed', detail, { headers: { allow: ALLOW } }));
    },
    handler: () => undefined,
  });
}
