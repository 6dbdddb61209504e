/**
 * Signed URLs of media, `{BASE_URL}/media/{token}`, for receivers without a key. Other sites may embed the files;
 * scripts in them never run, neither there nor here (content.ts).
 */
import type { ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ReadUnit } from '../../../core/unit/unit-of-work.ts';
import { Problem } from '../../../platform/http/problem.ts';
import type { GetPerson } from '../../../core/auth/person-lookup.ts';
import { matchesEtag } from '../../../platform/http/etag.ts';
import { plainSink, SAFE_HEADERS, sendFile } from './content.ts';
import { type MediaServiceDeps, openByToken } from './media.service.ts';
import type { Thumbnails } from './thumbnails.ts';

const ALLOW = 'GET, HEAD';
const CROSS_ORIGIN = { 'cross-origin-resource-policy': 'cross-origin' };

export interface MediaDownloadDeps extends MediaServiceDeps {
  thumbnails: Thumbnails;
  getPerson: GetPerson;
}

export function registerMediaDownload(app: FastifyInstance, unit: ReadUnit, deps: MediaDownloadDeps): void {
  const open = new Set<ServerResponse>();
  // A disconnected receiver requests the rest with a range.
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
      const { raw } = reply;
      open.add(raw.once('close', () => open.delete(raw)));
      await sendFile(request, reply, file, CROSS_ORIGIN, (status, headers) =>
        plainSink(reply, status, headers),
      );
    },
  });
  app.route({
    method: ['GET', 'HEAD'],
    url: '/media/:token/thumbnail',
    exposeHeadRoute: false,
    async handler(request: FastifyRequest, reply: FastifyReply) {
      const file = await openByToken(unit, deps, (request.params as { token: string }).token);
      const etag = `"${file.sha256.toString('hex')}-thumbnail"`;
      reply.headers({ ...SAFE_HEADERS, ...CROSS_ORIGIN, etag });
      if (matchesEtag(request.headers['if-none-match'], etag)) return reply.code(304).send();
      const path = [await deps.getPerson(file.workspaceId), file.workspaceId];
      const left = new AbortController();
      reply.raw.once('close', () => left.abort(new Problem('unavailable', 'The client left.')));
      return reply.type('image/webp').send(await deps.thumbnails.get(file, path, left.signal));
    },
  });
  for (const url of ['/media/:token', '/media/:token/thumbnail'])
    app.route({
      method: ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
      url,
      onRequest(request, _reply, done) {
        const detail = `${request.method} is not supported here.`;
        done(new Problem('method_not_allowed', detail, { headers: { allow: ALLOW } }));
      },
      handler: () => undefined,
    });
}
