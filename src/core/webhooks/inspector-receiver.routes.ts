/**
 * The public URL of inspectors: any method, any type of body. Requests are handled before Fastify parses them, so that
 * neither a parser nor a rejected Content-Type hides the actual request from a developer who debugs it.
 */
import type { IncomingMessage } from 'node:http';
import { compile } from '@fastify/proxy-addr';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { callerAddress } from '../../platform/http/caller-address.ts';
import { callerLeft, watchConnection } from '../../platform/http/caller-left.ts';
import { Problem } from '../../platform/http/problem.ts';
import { readInspectTarget } from './inspect-token.ts';
import {
  type InspectorReceiver,
  MAX_BODY,
  MAX_KEPT_BODY,
  type ReadBody,
  unknownAddress,
} from './inspector-receiver.ts';

const BODY_MS = 15_000;

const tooLarge = (): Problem =>
  new Problem('payload_too_large', `An inspector accepts bodies of up to ${MAX_BODY} bytes.`);
const tooSlow = (): Problem => new Problem('request_timeout', 'The body did not arrive within 15 seconds.');
/**
 * Counts the bytes of a body, and keeps its beginning.
 * @throws Problem payload_too_large, request_timeout; reading stops then
 */
function readBody(request: IncomingMessage): Promise<ReadBody> {
  if (Number(request.headers['content-length'] ?? 0) > MAX_BODY) return Promise.reject(tooLarge());
  if (request.destroyed) return Promise.reject(callerLeft());
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let kept = 0;
    let size = 0;
    const finish = (problem?: Problem): void => {
      clearTimeout(timer);
      request.off('data', take).off('end', finish).off('close', leave).off('error', leave);
      request.on('error', () => undefined); // later errors of an abandoned connection
      if (problem) {
        request.resume(); // a caller who is still sending receives the response sooner
        reject(problem);
      } else resolve({ kept: Buffer.concat(chunks, kept), size });
    };
    const leave = (): void => finish(callerLeft());
    const take = (chunk: Buffer): void => {
      size += chunk.length;
      if (size > MAX_BODY) return finish(tooLarge());
      const rest = chunk.subarray(0, MAX_KEPT_BODY - kept);
      if (rest.length === 0) return;
      chunks.push(rest);
      kept += rest.length;
    };
    const timer = setTimeout(() => finish(tooSlow()), BODY_MS);
    request
      .on('data', take)
      .on('end', () => finish())
      .on('close', leave)
      .on('error', leave);
  });
}

function getPairs(raw: string[]): [string, string][] {
  return Array.from({ length: raw.length / 2 }, (_, index) => [raw[2 * index]!, raw[2 * index + 1]!]);
}

/** Whether a proxy in front adds the header, so that it is not part of the original request. */
const isAddedByProxy = (name: string): boolean => /^(?:forwarded|x-forwarded-.+|x-real-ip)$/i.test(name);

async function answer(
  receiver: InspectorReceiver,
  isProxy: (request: IncomingMessage) => boolean,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const signal = watchConnection(reply);
  const target = readInspectTarget(request.raw.url ?? '');
  if (!target) throw unknownAddress();
  const { token, path, query } = target;
  const pairs = getPairs(request.raw.rawHeaders);
  const { status, headers, body } = await receiver.receive({
    inspector: { token },
    path,
    query,
    method: request.method,
    headers: isProxy(request.raw) ? pairs.filter(([name]) => !isAddedByProxy(name)) : pairs,
    remoteAddress: callerAddress(request),
    source: 'http',
    deliveryContext: null,
    readBody: () => readBody(request.raw),
    signal,
  });
  reply.code(status).headers(headers);
  void (body === null ? reply.send() : reply.send(body));
}

/** @param trusted addresses of trusted proxies (TRUST_PROXY) */
export function registerInspectorReceiver(
  app: FastifyInstance,
  receiver: InspectorReceiver,
  trusted: string[],
): void {
  const trust = compile(trusted);
  const isProxy = ({ socket }: IncomingMessage): boolean =>
    socket.remoteAddress !== undefined && trust(socket.remoteAddress, 0);
  app.addHook('preClose', (done) => {
    receiver.endWaits();
    done();
  });
  app.route({
    method: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
    url: '/inspect/*',
    exposeHeadRoute: false,
    // It may be slow on purpose.
    config: { stream: true, keepsWhatComes: true },
    async onRequest(request, reply) {
      try {
        await answer(receiver, isProxy, request, reply);
      } catch (error) {
        // The unread body is not awaited: the connection ends with the response.
        if (!request.raw.complete) reply.header('connection', 'close');
        throw error;
      }
      return reply;
    },
    handler: () => undefined,
  });
}
