/**
 * Parses JSON bodies. A large one can hold the event loop for tens of milliseconds, so large ones take turns by caller, and
 * other requests are served between two of them.
 */
import { setImmediate as nextIteration } from 'node:timers/promises';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { createFairGate } from '../limits/fair-gate.ts';
import { callerLeft } from './caller-left.ts';
import { readCoding, unpackBody } from './content-coding.ts';
import { assertUtf8Type, readJson, readPassedJson } from './json-body.ts';
import { Problem } from './problem.ts';

/** Smaller bodies are parsed in less time than a turn takes. */
const LARGE_BYTES = 64 * 1024;
/** Bodies that wait hold their bytes. */
const MAX_WAITING = 256;

type GetPath = (request: FastifyRequest) => Promise<readonly string[]>;

function createTurns(getPath: GetPath) {
  const gate = createFairGate({
    capacity: 1,
    maxWaiting: MAX_WAITING,
    refuse: () =>
      new Problem('unavailable', 'Too many large requests. Try again later.', {
        headers: { 'retry-after': '1' },
      }),
  });
  return async <T>(request: FastifyRequest, parse: () => T): Promise<T> =>
    gate(await getPath(request), async () => {
      await nextIteration();
      // The caller has left, so the body is not parsed.
      if (request.raw.socket.destroyed) throw callerLeft();
      return parse();
    });
}

/**
 * Adds the parser of `application/json`, without turns unless they are given.
 * @param getPath whose turn a large body takes, as in fair-gate.ts
 */
export function addJsonParser(app: FastifyInstance, getPath?: GetPath): void {
  const takeTurn = getPath && createTurns(getPath);
  app.removeContentTypeParser('application/json');
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, bytes, done) => {
    const read = request.routeOptions.config.passesBody ? readPassedJson : readJson;
    const parse = (body: Buffer): unknown => {
      if (!takeTurn || body.length < LARGE_BYTES) return read(body);
      return takeTurn(request, () => read(body));
    };
    try {
      assertUtf8Type(request.headers['content-type']);
      const coding = readCoding(request.headers);
      const body =
        coding === null
          ? parse(bytes as Buffer)
          : unpackBody(bytes as Buffer, coding, request.routeOptions.bodyLimit).then(parse);
      if (body instanceof Promise) body.then((value: unknown) => done(null, value), done);
      else done(null, body);
    } catch (error) {
      done(error as Error);
    }
  });
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the JSON body is passed on as it was sent. */
    passesBody?: boolean;
  }
}
