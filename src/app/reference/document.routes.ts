/**
 * `/openapi.json`: made from the declared operations, once for each address that this server is reached by. Anyone
 * may read it, from any page: it holds nothing secret.
 */
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import type { Config } from '../../platform/config/config.ts';
import { sendStaticFile, type StaticFile } from '../console/static-files.ts';
import { openApiDocument } from '../../core/api/openapi.ts';
import type { Operation } from '../../core/api/operation.ts';
import type { EventKinds } from '../../core/events/event-type.service.ts';
import { describeEvents } from '../../core/events/event-document.ts';
import { getOrigin } from './origin.ts';

/** Maximum number of host names whose document is cached: a caller who invents host names costs time, not memory. */
const MAX_KEPT = 8;

interface Described {
  operations: Operation[];
  eventKinds: EventKinds;
}

async function makeFile({ operations, eventKinds }: Described, origin: string): Promise<StaticFile> {
  const body = Buffer.from(JSON.stringify(openApiDocument(operations, origin, describeEvents(eventKinds))));
  const [br, zipped] = await Promise.all([
    promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } }),
    promisify(gzip)(body),
  ]);
  return {
    type: 'application/json; charset=utf-8',
    body,
    etag: createHash('sha256').update(body).digest('base64url').slice(0, 22),
    immutable: false,
    shared: true,
    encoded: { br, gzip: zipped },
  };
}

export function registerDocument(app: FastifyInstance, described: Described, config: Config): void {
  const kept = new Map<string, Promise<StaticFile>>();

  const fileFor = (origin: string): Promise<StaticFile> => {
    let file = kept.get(origin);
    if (file) return file;
    file = makeFile(described, origin);
    kept.set(origin, file);
    const [oldest] = kept.keys();
    if (kept.size > MAX_KEPT) kept.delete(oldest!);
    return file;
  };

  app.get('/openapi.json', async (request, reply) =>
    sendStaticFile(request, reply, await fileFor(getOrigin(request, config))),
  );
}
