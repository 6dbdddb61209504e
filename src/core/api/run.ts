/**
 * Runs the handler of an operation: validates all parts of the request together, opens the transaction with idempotency
 * and audit, and checks that the credentials are still valid before anything is committed or returned.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Actor } from '../auth/actor.ts';
import type { Guard } from '../auth/guard.ts';
import { retryOnConflict, type Database } from '../../platform/db/database.ts';
import type { Unit, ReadUnit, Units } from '../unit/unit-of-work.ts';
import { callerAddress } from '../../platform/http/caller-address.ts';
import { toEtag, readIfMatch } from '../../platform/http/etag.ts';
import * as idempotency from './idempotency.ts';
import {
  type Answer,
  type AuditOrigin,
  type Context,
  isWrite,
  type Operation,
  takesIfMatch,
} from './operation.ts';
import { getLossless } from '../../platform/http/json-body.ts';
import { type FieldError, invalid, Problem } from '../../platform/http/problem.ts';
import { readableAnswer } from './readable-answer.ts';
import { type Changes, createReadBefore, getChanges, getTargetName } from './audit-snapshot.ts';
import { createAnswerSender } from './send-answer.ts';
import { compileValidator } from '../../platform/http/validation.ts';

export type RecordAudit = (
  unit: ReadUnit,
  entry: AuditOrigin & {
    targetId: string | null;
    targetName?: string | null;
    details?: Record<string, unknown>;
    changes?: Changes | null;
  },
) => Promise<void>;

export interface RunDeps {
  db: Database;
  units: Units;
  guard: Guard;
  recordAudit: RecordAudit;
  /** All operations: the audit log reads an object by the one that reads it. */
  operations?: readonly Operation[];
  /** Keys for hashing requests. The first hashes new requests; all are compared with stored requests. */
  idempotencyKeys: [Buffer, ...Buffer[]];
}

const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;
const NO_PARAMETERS = { type: 'object', properties: {}, additionalProperties: false };
const ANY_PARAMETERS = { type: 'object' };

interface StoredProblem {
  problem: Pick<Problem, 'code' | 'message' | 'errors' | 'headers'> & { members?: Problem['members'] };
}

function throwStoredProblem(body: unknown): void {
  const stored = (body as StoredProblem | null)?.problem;
  if (!stored) return;
  const { code, message, errors, members, headers } = stored;
  throw new Problem(code, message, { errors, members, headers });
}

export function createOperationRunner({
  db,
  units,
  guard,
  recordAudit,
  operations = [],
  idempotencyKeys,
}: RunDeps) {
  return ({ spec, handler, prepare }: Operation) => {
    const writes = isWrite(spec);
    const takesQuery = spec.query !== undefined;
    const comparesVersion = takesIfMatch(spec);
    const readBefore = createReadBefore(spec, operations);
    const checks = {
      params: spec.params && compileValidator(spec.params, 'params'),
      query: compileValidator(spec.query ?? (spec.openAi ? ANY_PARAMETERS : NO_PARAMETERS), 'querystring'),
      body:
        spec.openBody || spec.anyBody
          ? spec.body && compileValidator(spec.body, 'body')
          : compileValidator(spec.body ?? NO_PARAMETERS, 'body'),
    };

    const validate = (request: FastifyRequest): void => {
      const fieldErrors: FieldError[] = [];
      const collect = (result: { value: unknown } | { error: Problem } | undefined): void => {
        if (result && 'error' in result) fieldErrors.push(...result.error.errors);
      };
      for (const value of Object.values((request.params ?? {}) as Record<string, string>))
        if (value.includes('\0')) throw new Problem('not_found', 'The path contains a NUL character.');
      collect(checks.params?.(request.params));
      if (request.url.includes('?')) {
        collect(checks.query(request.query));
        for (const [name, value] of Object.entries(request.query as object))
          if (String(value).includes('\0'))
            fieldErrors.push({
              pointer: `?${name}`,
              code: 'invalid_text',
              detail: 'must not contain a NUL character',
            });
      } else if (takesQuery) collect(checks.query(request.query));
      if (writes && !request.upload) collect(checks.body?.(request.body ?? {}));
      if (fieldErrors.length) throw invalid(fieldErrors);
    };

    /** Returns null if nothing is recorded. @param workspaceId if it differs from the actor's */
    const auditOrigin = (request: FastifyRequest, workspaceId?: string): AuditOrigin | null => {
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
    };

    const buildContext = (
      request: FastifyRequest,
      reply: FastifyReply,
      unit: ReadUnit,
      { prepared, isGathered = false }: { prepared?: unknown; isGathered?: boolean } = {},
    ): Context<never, never> => {
      const traceparent = request.headers.traceparent;
      return {
        actor: request.actor,
        params: request.params,
        query: request.query,
        body: request.body ?? {},
        upload: request.upload,
        unit,
        prepared,
        audit: spec.transaction === 'gathered' ? auditOrigin(request) : null,
        ensureFresh: isGathered ? () => ensureFresh(request.actor) : null,
        ifMatch: comparesVersion ? readIfMatch(request.headers['if-match']) : null,
        traceparent: typeof traceparent === 'string' && TRACEPARENT.test(traceparent) ? traceparent : null,
        ip: callerAddress(request),
        request,
        reply,
      } as unknown as Context<never, never>;
    };

    const ensureFresh = (actor: Actor | null): void | Promise<void> =>
      actor === null || guard.isFresh(actor) ? undefined : guard.renew(actor);

    const send = createAnswerSender(spec);

    /** Runs the handler of a write and records the change. */
    const execute = async (context: Context<never, never>, unit: ReadUnit): Promise<Answer<unknown>> => {
      const before = readBefore && (await readBefore(context));
      const answer = (await handler(context)) as Answer<unknown>;
      const { actor, request, params } = context as unknown as Context;
      const isRecorded = spec.transaction !== 'gathered' && !answer.unchanged;
      const origin = isRecorded ? auditOrigin(request, answer.auditWorkspaceId) : null;
      if (origin) {
        const shown = answer.body as { id?: string } | undefined;
        await recordAudit(unit, {
          ...origin,
          targetId: answer.auditTarget ?? shown?.id ?? (params as { id?: string } | undefined)?.id ?? null,
          targetName: getTargetName(spec, before, shown),
          details: answer.auditDetails,
          changes: getChanges(spec, before, shown),
        });
      }
      return readableAnswer(actor, answer, spec.secrets);
    };

    const buildRequestMark = (
      request: FastifyRequest,
      actor: Actor,
      key: string,
    ): idempotency.RequestMark => {
      const [first, ...further] = idempotencyKeys;
      const body: unknown = request.upload ? request.upload.mark : getLossless(request.body);
      const hashBy = (secret: Buffer): Buffer => idempotency.hashRequest(secret, request.query, body);
      return {
        actor: actor.kind === 'session' ? `${actor.id} ${actor.workspaceId}` : actor.id,
        operation: `${request.method} ${request.url.split('?', 1)[0]}`,
        key: idempotency.checkKey(key),
        workspaceId: 'workspaceId' in actor ? actor.workspaceId : null,
        hash: hashBy(first),
        furtherHashes: further.map(hashBy),
      };
    };

    /** Runs `prepare`. Its error is thrown in the transaction, where a stored response takes precedence. */
    const tryToPrepare = async (
      request: FastifyRequest,
      reply: FastifyReply,
    ): Promise<{ prepared: unknown } | { error: unknown }> => {
      try {
        return { prepared: await prepare?.(buildContext(request, reply, units.read)) };
      } catch (error) {
        return { error };
      }
    };

    const runWrite = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
      const { actor } = request;
      const idempotencyKey = spec.method === 'POST' && actor ? request.headers['idempotency-key'] : undefined;
      const mark =
        idempotencyKey === undefined ? null : buildRequestMark(request, actor!, String(idempotencyKey));
      const preparation = prepare ? await tryToPrepare(request, reply) : { prepared: undefined };
      const work = async (unit: Unit): Promise<{ answer: Answer<unknown>; replayed: boolean }> => {
        const first = mark && (await idempotency.claim(unit.db, mark));
        if (first) return { answer: first, replayed: true };
        if ('error' in preparation) throw preparation.error;
        const answer = await execute(buildContext(request, reply, unit, preparation), unit);
        if (mark) await idempotency.store(unit.db, mark, storable(answer), answer.secrets ?? spec.secrets);
        return { answer, replayed: false };
      };
      const attempt = () => units.write(work, () => ensureFresh(actor));
      // The transaction moves an uploaded file, so it can't be retried.
      const written = request.upload ? attempt() : retryOnConflict(attempt);
      const { answer, replayed } = await written.catch(async (error: unknown) => {
        if (mark && error instanceof Problem && idempotency.isStored(error)) await storeProblem(mark, error);
        throw error;
      });
      if (replayed) {
        reply.header('idempotency-replayed', 'true');
        throwStoredProblem(answer.body);
      }
      await send(request, reply, answer);
    };

    /** The handler shares a batched transaction, and checks the freshness of the actor before the commit. */
    const runGathered = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
      const prepared = await prepare?.(buildContext(request, reply, units.read));
      const context = buildContext(request, reply, units.read, { prepared, isGathered: true });
      await send(request, reply, await execute(context, units.read));
    };

    const storable = (answer: Answer<unknown>): idempotency.StoredAnswer => ({
      status: answer.status ?? spec.success.status,
      headers: {
        ...answer.headers,
        ...(answer.version === undefined ? {} : { etag: toEtag(answer.version, null) }),
      },
      body: answer.body ?? null,
    });

    const storeProblem = (
      mark: idempotency.RequestMark,
      { status, code, message, errors, members, headers }: Problem,
    ) => {
      const body: StoredProblem = { problem: { code, message, errors, members, headers } };
      return idempotency.storeErrorAnswer(db, mark, { status, headers: {}, body });
    };

    const runRead = (request: FastifyRequest, reply: FastifyReply): void | Promise<void> => {
      const finish = (answer: Answer<unknown> | 'handled'): void | Promise<void> => {
        if (answer === 'handled') return;
        const shown = spec.embedsObjects ? readableAnswer(request.actor, answer) : answer;
        const renewed = ensureFresh(request.actor);
        if (renewed) return renewed.then(() => send(request, reply, shown));
        return send(request, reply, shown);
      };
      const answer = handler(buildContext(request, reply, units.read));
      return answer instanceof Promise ? answer.then(finish) : finish(answer);
    };

    return (request: FastifyRequest, reply: FastifyReply): void | Promise<void> => {
      if (spec.idempotency === 'refused' && request.headers['idempotency-key'] !== undefined)
        throw new Problem('idempotency_not_supported', `${spec.id} does not support Idempotency-Key.`);
      validate(request);
      // Ignoring the header would change what the caller asked to protect.
      if (writes && !comparesVersion && readIfMatch(request.headers['if-match']) !== null)
        throw new Problem(
          'precondition_failed',
          `${spec.id} has no ETag to compare. Send it without If-Match.`,
        );
      if (!writes || spec.transaction === 'none') return runRead(request, reply);
      const isGathered = spec.transaction === 'gathered' && request.headers['idempotency-key'] === undefined;
      return isGathered ? runGathered(request, reply) : runWrite(request, reply);
    };
  };
}
