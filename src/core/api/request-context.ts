/** Builds the context of a handler from a request, and the origin of the call for the audit log. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { callerAddress } from '../../platform/http/caller-address.ts';
import { readTraceparent } from '../../platform/tracing/traceparent.ts';
import { readIfMatch } from '../../platform/http/etag.ts';
import type { Actor } from '../auth/actor.ts';
import type { ReadUnit } from '../unit/unit-of-work.ts';
import { type AuditOrigin, type Context, type OperationSpec, takesIfMatch } from './operation.ts';

/**
 * Returns the origin of a call for the audit log; null if nothing is recorded.
 * @param workspaceId if it differs from the actor's
 */
export function getAuditOrigin(
  spec: OperationSpec,
  request: FastifyRequest,
  workspaceId?: string,
): AuditOrigin | null {
  const { actor } = request;
  if (spec.audit === undefined || !actor) return null;
  const where = workspaceId ?? ('workspaceId' in actor ? actor.workspaceId : null);
  if (where === null) return null;
  return {
    workspaceId: where,
    action: spec.id,
    actor,
    targetType: spec.audit,
    ip: callerAddress(request),
    requestId: request.id,
  };
}

export type BuildContext = (
  request: FastifyRequest,
  reply: FastifyReply,
  unit: ReadUnit,
  options?: { prepared?: unknown; isGathered?: boolean },
) => Context<never, never>;

/**
 * Returns the function that builds the contexts of an operation. @param ensureFresh checks that the credentials of an
 * actor are still valid
 */
export function createContextBuilder(
  spec: OperationSpec,
  ensureFresh: (actor: Actor | null) => void | Promise<void>,
): BuildContext {
  const comparesVersion = takesIfMatch(spec);
  return (request, reply, unit, { prepared, isGathered = false } = {}) =>
    ({
      actor: request.actor,
      params: request.params,
      query: request.query,
      body: request.body ?? {},
      upload: request.upload,
      unit,
      prepared,
      audit: spec.transaction === 'gathered' ? getAuditOrigin(spec, request) : null,
      ensureFresh: isGathered ? () => ensureFresh(request.actor) : null,
      ifMatch: comparesVersion ? readIfMatch(request.headers['if-match']) : null,
      traceparent: readTraceparent(request.headers.traceparent),
      ip: callerAddress(request),
      request,
      reply,
    }) as unknown as Context<never, never>;
}
