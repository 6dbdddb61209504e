/**
 * Records responses in the request log: every call that authenticated for a workspace, refused ones included.
 *
 * The exception is reads of the log and of its counts by a person in the console: a page that refreshes would fill the
 * log.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { callerAddress } from '../../platform/http/caller-address.ts';
import type { OperationSpec } from '../api/operation.ts';
import type { RequestRecorder } from './request-recorder.ts';

const READS_OF_LOG = new Set(['requests.list', 'requests.get', 'usage.requests', 'usage.activity']);
/** The status that nginx made usual for a client that left. */
const CLIENT_CLOSED = 499;

export const recordRequests =
  (recorder: RequestRecorder) =>
  (request: FastifyRequest, reply: FastifyReply, spec: OperationSpec): void => {
    const { actor } = request;
    if (actor === null || actor.kind === 'user') return;
    if (actor.kind === 'session' && READS_OF_LOG.has(spec.id)) return;
    recorder.record({
      id: request.id,
      actor,
      method: request.method,
      operation: spec.id,
      route: spec.path,
      status: reply.raw.headersSent ? reply.statusCode : CLIENT_CLOSED,
      errorCode: request.problemCode,
      address: callerAddress(request),
      durationMs: reply.elapsedTime,
    });
  };
