/**
 * Sends the answer of an operation: its status, headers and entity tag, and 304 to a reader who has the body already.
 *
 * The answer to a POST is tagged with the version alone, for `If-Match`: its body may be a replay, or show a secret once.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { etagOf, matchesEtag } from './etag.ts';
import { type Answer, isWrite, type OperationSpec } from './operation.ts';
import { MISSING_SCOPE_HEADER } from './readable-answer.ts';

const JSON_TYPE = 'application/json; charset=utf-8';

type Body = string | Uint8Array;

const isBytes = (body: unknown): body is Body => typeof body === 'string' || body instanceof Uint8Array;

/** Serializes a body by the schema of the reply's status, and sets its type. Text and bytes stay as they are. */
function serialize(reply: FastifyReply, body: unknown): Body {
  if (isBytes(body)) return body;
  if (!reply.hasHeader('content-type')) reply.type(JSON_TYPE);
  return reply.serialize(body) as string;
}

/** Returns a function that sends answers of this operation. */
export function createAnswerSender(spec: OperationSpec) {
  const writes = isWrite(spec);
  const readsOne = !writes && spec.params !== undefined && !spec.confidential;

  const isPost = spec.method === 'POST';

  const isTagged = ({ body, version, headers }: Answer<unknown>): boolean =>
    version !== undefined || (readsOne && body !== undefined && headers?.etag === undefined);

  return (request: FastifyRequest, reply: FastifyReply, answer: Answer<unknown>): void => {
    reply.code(answer.status ?? spec.success.status);
    if (answer.headers) reply.headers(answer.headers);
    // A reduced answer does not match the schema of the whole one.
    if (answer.headers?.[MISSING_SCOPE_HEADER]) reply.type(JSON_TYPE).serializer(JSON.stringify);
    if (isPost || !isTagged(answer)) {
      if (answer.version !== undefined) reply.header('etag', etagOf(answer.version, null));
      reply.header('cache-control', 'no-store');
      return void reply.send(reply.statusCode === 204 ? undefined : answer.body);
    }
    const body = serialize(reply, answer.body);
    const etag = etagOf(answer.version, body);
    reply.header('etag', etag).header('cache-control', writes ? 'no-store' : 'private, no-cache');
    if (!writes && matchesEtag(request.headers['if-none-match'], etag)) return void reply.code(304).send();
    void reply.send(body);
  };
}
