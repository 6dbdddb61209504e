/**
 * Rejects requests while a disk is nearly full: operations by their declaration (`whenFull`), ingress by the
 * configuration of its route. Reads, and operations that free or stop something, are never rejected.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import { isWrite, type OperationSpec } from './operation.ts';
import type { DiskWatch } from '../../platform/storage/disk-watch.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route stores data: responds 507 while a disk is nearly full. For routes that are not operations. */
    keepsWhatComes?: true;
  }
}

type Judge = (body: unknown) => boolean;

/** Matches a body that has only the given members, each of which satisfies `isFine`. */
const getOnly =
  (isFine: Record<string, (value: unknown) => boolean>): Judge =>
  (body) => {
    const members = Object.entries(body ?? {});
    // Inherited members of objects don't count, because a caller may send any name.
    const judged = ([name, value]: [string, unknown]): boolean =>
      Object.hasOwn(isFine, name) && isFine[name]!(value);
    return members.length > 0 && members.every(judged);
  };

/** `{enabled: false}` and nothing else. */
export const onlyDisables: Judge = getOnly({ enabled: (value) => value === false });
/** `{archived: true}` and nothing else. */
export const onlyArchives: Judge = getOnly({ archived: (value) => value === true });

const isDays = (value: unknown): boolean => typeof value === 'number';
/** Matches bodies that only set retention periods, which free space. */
export const onlyShortens: Judge = getOnly({ media_retention_days: isDays, message_retention_days: isDays });

/** Whether it is never refused for a full disk; null where its body decides. */
function goesOn(spec: OperationSpec): boolean | null {
  if (!isWrite(spec) || spec.method === 'DELETE' || spec.whenFull === 'goes_on') return true;
  return spec.whenFull === undefined ? false : null;
}

/** Refuses before the body is read; null for operations that are never refused so. */
export function rejectBeforeBody(
  spec: OperationSpec,
  { assertDiskSpace }: Pick<DiskWatch, 'assertDiskSpace'>,
): onRequestHookHandler | null {
  if (goesOn(spec) !== false) return null;
  return (_request, _reply, done) => {
    try {
      assertDiskSpace();
      done();
    } catch (error) {
      done(error as Error);
    }
  };
}

/** Once the body is read, which decides. */
export function rejectByBody(
  spec: OperationSpec,
  { assertDiskSpace }: Pick<DiskWatch, 'assertDiskSpace'>,
  body: unknown,
): void {
  if (goesOn(spec) === null && !(spec.whenFull as Judge)(body)) assertDiskSpace();
}

/** Rejects a request to an ingress before any of its body is read. */
export function rejectAtIngress(
  app: FastifyInstance,
  { assertDiskSpace }: Pick<DiskWatch, 'assertDiskSpace'>,
): void {
  app.addHook('onRequest', (request: FastifyRequest, reply: FastifyReply, done) => {
    if (!request.routeOptions.config.keepsWhatComes) return done();
    try {
      assertDiskSpace();
      done();
    } catch (error) {
      // The unread body is not awaited: the connection ends with the response.
      if (!request.raw.complete) void reply.header('connection', 'close');
      done(error as Error);
    }
  });
}
