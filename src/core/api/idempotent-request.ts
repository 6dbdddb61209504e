/** Idempotency of one request: its fingerprint, and the response or error stored for repeats. */
import type { FastifyRequest } from 'fastify';
import type { Database } from '../../platform/db/database.ts';
import { toEtag } from '../../platform/http/etag.ts';
import { getLossless } from '../../platform/http/json-body.ts';
import { Problem } from '../../platform/http/problem.ts';
import type { Actor } from '../auth/actor.ts';
import {
  checkKey,
  hashRequest,
  type RequestMark,
  type StoredAnswer,
  storeErrorAnswer,
} from './idempotency.ts';
import type { Answer, OperationSpec } from './operation.ts';

interface StoredProblem {
  problem: Pick<Problem, 'code' | 'message' | 'errors' | 'headers'> & { members?: Problem['members'] };
}

/** Throws the error that a stored answer is, if it is one. @throws Problem */
export function throwStoredProblem(body: unknown): void {
  const stored = (body as StoredProblem | null)?.problem;
  if (!stored) return;
  const { code, message, errors, members, headers } = stored;
  throw new Problem(code, message, { errors, members, headers });
}

/**
 * Returns the fingerprint of a request with an idempotency key. @param keys the first hashes new requests. @throws
 * Problem
 */
export function buildRequestMark(
  [first, ...further]: readonly [Buffer, ...Buffer[]],
  request: FastifyRequest,
  actor: Actor,
  key: string,
): RequestMark {
  const body: unknown = request.upload ? request.upload.mark : getLossless(request.body);
  const hashBy = (secret: Buffer): Buffer => hashRequest(secret, request.query, body);
  return {
    actor: actor.kind === 'session' ? `${actor.id} ${actor.workspaceId}` : actor.id,
    operation: `${request.method} ${request.url.split('?', 1)[0]}`,
    key: checkKey(key),
    workspaceId: 'workspaceId' in actor ? actor.workspaceId : null,
    hash: hashBy(first),
    furtherHashes: further.map(hashBy),
  };
}

/** Returns the stored form of a response. */
export const toStoredAnswer = (spec: OperationSpec, answer: Answer<unknown>): StoredAnswer => ({
  status: answer.status ?? spec.success.status,
  headers: {
    ...answer.headers,
    ...(answer.version === undefined ? {} : { etag: toEtag(answer.version, null) }),
  },
  body: answer.body ?? null,
});

/** Stores an error that a repeated request gets again. */
export function storeProblem(
  db: Database,
  mark: RequestMark,
  { status, code, message, errors, members, headers }: Problem,
) {
  const body: StoredProblem = { problem: { code, message, errors, members, headers } };
  return storeErrorAnswer(db, mark, { status, headers: {}, body });
}
