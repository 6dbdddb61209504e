/**
 * Runs the handler of an operation: validates all parts of the request together, opens the transaction with idempotency
 * and audit, and checks that the credentials are still valid before anything is committed or returned.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Actor } from '../auth/actor.ts';
import type { Guard } from '../auth/guard.ts';
import { retryOnConflict, type Database } from '../../platform/db/database.ts';
import type { Unit, ReadUnit, Units } from '../unit/unit-of-work.ts';
import { readIfMatch } from '../../platform/http/etag.ts';
import * as idempotency from './idempotency.ts';
import { buildRequestMark, storeProblem, throwStoredProblem, toStoredAnswer } from './idempotent-request.ts';
import {
  type Answer,
  type AuditOrigin,
  type Context,
  isWrite,
  type Operation,
  takesIfMatch,
} from './operation.ts';
import { Problem } from '../../platform/http/problem.ts';
import { readableAnswer } from './readable-answer.ts';
import { type Changes, createReadBefore, getChanges, getTargetName } from './audit-snapshot.ts';
import { createContextBuilder, getAuditOrigin } from './request-context.ts';
import { createAnswerSender } from './send-answer.ts';
import { createRequestValidator } from './validate-request.ts';

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

export function createOperationRunner({
  db,
  units,
  guard,
  recordAudit,
  operations = [],
  idempotencyKeys,
}: RunDeps) {
  const ensureFresh = (actor: Actor | null): void | Promise<void> =>
    actor === null || guard.isFresh(actor) ? undefined : guard.renew(actor);

  return ({ spec, handler, prepare }: Operation) => {
    const writes = isWrite(spec);
    const comparesVersion = takesIfMatch(spec);
    const validate = createRequestValidator(spec);
    const readBefore = createReadBefore(spec, operations);
    const buildContext = createContextBuilder(spec, ensureFresh);
    const send = createAnswerSender(spec);

    /** Runs the handler of a write and records the change. */
    const execute = async (context: Context<never, never>, unit: ReadUnit): Promise<Answer<unknown>> => {
      const before = readBefore && (await readBefore(context));
      const answer = (await handler(context)) as Answer<unknown>;
      const { actor, request, params } = context as unknown as Context;
      const isRecorded = spec.transaction !== 'gathered' && !answer.unchanged;
      const origin = isRecorded ? getAuditOrigin(spec, request, answer.auditWorkspaceId) : null;
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
        idempotencyKey === undefined
          ? null
          : buildRequestMark(idempotencyKeys, request, actor!, String(idempotencyKey));
      const preparation = prepare ? await tryToPrepare(request, reply) : { prepared: undefined };
      const work = async (unit: Unit): Promise<{ answer: Answer<unknown>; replayed: boolean }> => {
        const first = mark && (await idempotency.claim(unit.db, mark));
        if (first) return { answer: first, replayed: true };
        if ('error' in preparation) throw preparation.error;
        const answer = await execute(buildContext(request, reply, unit, preparation), unit);
        if (mark)
          await idempotency.store(
            unit.db,
            mark,
            toStoredAnswer(spec, answer),
            answer.secrets ?? spec.secrets,
          );
        return { answer, replayed: false };
      };
      const attempt = () => units.write(work, () => ensureFresh(actor));
      // The transaction moves an uploaded file, so it can't be retried.
      const written = request.upload ? attempt() : retryOnConflict(attempt);
      const { answer, replayed } = await written.catch(async (error: unknown) => {
        if (mark && error instanceof Problem && idempotency.isStored(error))
          await storeProblem(db, mark, error);
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
      // Ignoring the header would leave the object unprotected, although the caller asked for protection.
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
