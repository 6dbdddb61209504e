/**
 * Sends the response of an operation: its status, headers and entity tag, compressed if the caller accepts that, and
 * 304 if the caller already has the body.
 *
 * The tag of a POST response is the version alone, for `If-Match`, because its body may be a replay, or show a secret
 * once.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  type AnswerCoding,
  chooseCoding,
  compress,
  COMPRESSED_FROM,
} from '../../platform/http/compression.ts';
import { toEtag, matchesEtag, withCoding } from '../../platform/http/etag.ts';
import { type Answer, isEventStream, isWrite, type OperationSpec } from './operation.ts';
import { MISSING_SCOPE_HEADER } from './readable-answer.ts';
import { addVary } from '../../platform/http/vary.ts';

const JSON_TYPE = 'application/json; charset=utf-8';

/** Serializes a body by the schema of the reply's status, and sets its type. Text and bytes are sent unchanged. */
function serialize(reply: FastifyReply, body: unknown): string | Uint8Array {
  if (typeof body === 'string' || body instanceof Uint8Array) return body;
  if (!reply.hasHeader('content-type')) reply.type(JSON_TYPE);
  return reply.serialize(body) as string;
}

/** Whether answers may be compressed: JSON without a secret. */
const isCompressible = (spec: OperationSpec): boolean =>
  !spec.secrets && !spec.confidential && !spec.showsSecrets && !spec.binary && !isEventStream(spec);

/** Returns a function that sends answers of this operation. */
export function createAnswerSender(spec: OperationSpec) {
  const writes = isWrite(spec);
  const isPost = spec.method === 'POST';
  const readsOne = !writes && spec.params !== undefined && !spec.confidential;
  const mayCompress = isCompressible(spec);

  /** The coding that the caller takes a body of this length in. */
  const codingFor = (
    request: FastifyRequest,
    reply: FastifyReply,
    body: string | Uint8Array,
  ): AnswerCoding | null => {
    if (!mayCompress || typeof body !== 'string' || body.length < COMPRESSED_FROM) return null;
    addVary(reply, 'Accept-Encoding');
    return chooseCoding(request.headers['accept-encoding']);
  };

  const sendBody = (
    reply: FastifyReply,
    body: string | Uint8Array,
    coding: AnswerCoding | null,
  ): void | Promise<void> => {
    if (coding === null) return void reply.send(body);
    reply.header('content-encoding', coding);
    const packed = compress(body as string, coding);
    if (!(packed instanceof Promise)) return void reply.send(packed);
    return packed.then((bytes) => void reply.send(bytes));
  };

  return (request: FastifyRequest, reply: FastifyReply, answer: Answer<unknown>): void | Promise<void> => {
    const { version, headers, status = spec.success.status } = answer;
    reply.code(status);
    if (headers) reply.headers(headers);
    if (isPost && version !== undefined) reply.header('etag', toEtag(version, null));
    reply.header('cache-control', 'no-store');
    if (status === 204 || answer.body === undefined) return void reply.send();

    const isTagged = !isPost && (version !== undefined || (readsOne && headers?.etag === undefined));
    // A reduced answer does not match the schema of the whole one.
    const isReduced = headers?.[MISSING_SCOPE_HEADER] !== undefined;
    if (!isTagged && !isReduced && request.headers['accept-encoding'] === undefined)
      return void reply.send(answer.body);
    const body = isReduced ? JSON.stringify(answer.body) : serialize(reply, answer.body);
    if (isReduced) reply.type(JSON_TYPE);
    const coding = codingFor(request, reply, body);
    if (isTagged) {
      const etag = toEtag(version, body);
      reply.header('etag', withCoding(etag, coding));
      if (!writes) {
        reply.header('cache-control', 'private, no-cache');
        if (matchesEtag(request.headers['if-none-match'], etag)) return void reply.code(304).send();
      }
    }
    return sendBody(reply, body, coding);
  };
}
