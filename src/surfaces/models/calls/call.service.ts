/**
 * Executes a model call: resolve, check, admit, try the targets, relay, complete.
 *
 * A call is admitted before anything is sent, and each admitted call is completed exactly once, however it ends. Nothing
 * that the caller or the model wrote is logged; it is stored only if the workspace asks for it.
 */
import type { WorkspaceActor } from '../../../core/auth/actor.ts';
import { assertModelsAllowed } from '../../../core/auth/allowed-models.ts';
import { openAiError } from '../../../platform/http/openai-errors.ts';
import { Problem } from '../../../platform/http/problem.ts';
import type { Log } from '../../../platform/logging/log.ts';
import { settleWithin } from '../../../platform/time/timeout.ts';
import type { FallbackReason, ModelCatalog, Resolved, Target } from '../contract/model-catalog.ts';
import type { CallLedger } from '../contract/call-ledger.ts';
import { type Attempt, type AttemptResult, createAttempt, mayPass, toOutcomeCode } from './attempts.ts';
import type { CallBody } from '../contract/call-body.ts';
import type { CallOutput } from '../contract/call-output.ts';
import { type ContentCapture, createContentCapture } from '../call-log/call-content.ts';
import type { StoreContent } from '../call-log/content-writer.ts';
import { type CallRecord, createCallRecord } from './call-record.ts';
import { createKeepAlive, type KeptOutput } from './keep-alive.ts';
import { readErrorBody } from './provider-error.ts';
import { relay, type RelayEnd, relayRejection, toErrorFrame, toTargetHeaders } from './relay.ts';
import { type CallOperation, UpstreamError } from '../contract/upstream.ts';
import { withFurtherModels } from '../contract/further-models.ts';
import type { Span } from '../../../platform/tracing/span.ts';
import { startSpan, traced } from '../../../platform/tracing/tracing.ts';
import { getCallName, getRequestAttributes, getResultAttributes } from './gen-ai-attributes.ts';
import { getWorstCase } from '../contract/worst-case.ts';

/** A complete response waits at most this long for its record. */
const RECORD_WAIT_MS = 1_000;

/** The caller: a key, a person, or a rule. */
export type CallActor = WorkspaceActor | { workspaceId: string; id: string; kind?: undefined };

export interface CallRequest {
  /** UUID of the API request; none for a call from within. */
  id?: string;
  actor: CallActor;
  operation: CallOperation;
  body: CallBody;
  /** With its question mark; empty for none. */
  query: string;
  traceparent: string | null;
  /** Whether it only tests its provider. */
  isTest?: boolean;
}

export interface CallDeps {
  catalog: ModelCatalog;
  ledger: CallLedger;
  storeContent: StoreContent;
  log: Pick<Log, 'error'>;
}

export interface Calls {
  /**
   * Executes a call, and resolves when its response has ended.
   * @throws Problem if no response was opened
   */
  run(request: CallRequest, output: CallOutput): Promise<void>;
}

/** State shared by the steps of one call. */
interface Run {
  request: CallRequest;
  output: CallOutput;
  /** The output of a caller who waits for a stream. */
  kept: KeptOutput | null;
  record: CallRecord;
  /** Rejections for which the route tries its next model besides. */
  fallbackOn: readonly FallbackReason[];
  /** Of a workspace that stores prompts and responses. */
  capture: ContentCapture | null;
}

/** @throws Problem unsupported_by_provider */
function getTargets({ operation, body }: CallRequest, { targets }: Resolved): Target[] {
  const able = targets.filter((target) => target.supports(operation));
  if (able.length === 0)
    throw new Problem('unsupported_by_provider', `${body.model} does not support POST /${operation}.`, {
      errors: [
        {
          pointer: '/model',
          code: 'unsupported_by_provider',
          detail: `must be a model that supports /${operation}`,
        },
      ],
    });
  return able;
}

/** Status of a response that comments have opened. */
const KEPT_STATUS = 200;

/** Reports an error in a response that comments have opened. */
async function endKept(kept: KeptOutput, operation: CallOperation, error: object): Promise<void> {
  await kept.open(KEPT_STATUS, {});
  if (await kept.write(toErrorFrame(operation, { ...error }))) kept.end();
}

const RELAY_OUTCOMES = { complete: 'succeeded', canceled: 'canceled' } as const;

export function createCalls({ catalog, ledger, storeContent, log }: CallDeps): Calls {
  /** Reports a failed attempt to the catalog. A provider that is only busy has not failed. */
  const reportFailure = ({ actor }: CallRequest, { target }: Attempt, result: AttemptResult): void => {
    if (result.kind === 'rejection')
      catalog.report(actor.workspaceId, target, { status: result.response.status });
    if (result.kind !== 'failure' || result.code === 'busy') return;
    const { code, problem } = result;
    const isIncomplete = code === 'empty_stream' || code === 'stream_error';
    catalog.report(
      actor.workspaceId,
      target,
      new UpstreamError(isIncomplete ? 'broken' : code, problem.message),
    );
  };

  /** Tries the targets in order until one has a response to relay. */
  const tryTargets = async (
    { request, output, record, fallbackOn }: Run,
    targets: readonly Target[],
  ): Promise<{ attempt: Attempt; result: AttemptResult }> => {
    for (const [nth, target] of targets.entries()) {
      const isLast = nth === targets.length - 1;
      const attempt = createAttempt(target, request, { isLast, callerSignal: output.signal });
      record.add(attempt);
      try {
        const result = await attempt.start();
        record.setOutcome(toOutcomeCode(result));
        reportFailure(request, attempt, result);
        if (isLast || !mayPass(result, fallbackOn)) return { attempt, result };
        attempt.close();
      } catch (error) {
        record.setOutcome(output.signal.aborted ? 'canceled' : 'internal_error');
        attempt.close();
        throw error;
      }
    }
    throw new Error('a call needs a target');
  };

  /**
   * Sends the attempt's response to the caller.
   * @throws Problem if it has none
   */
  const respond = async (
    { request, output, kept, record, capture }: Run,
    { attempt, result }: { attempt: Attempt; result: AttemptResult },
  ): Promise<void> => {
    const { target } = attempt;
    if (result.kind === 'failure') {
      const { code, problem } = result;
      const failedStatus = kept?.isKept() ? KEPT_STATUS : problem.status;
      await record.complete({ outcome: 'failed', status: failedStatus, errorCode: code });
      throw new Problem(problem.code, problem.message, {
        errors: problem.errors,
        members: problem.members,
        headers: { ...problem.headers, ...toTargetHeaders(target) },
      });
    }
    const { status } = result.response;
    if (result.kind === 'rejection') {
      capture?.add(result.body);
      const sent = kept?.isKept() ? KEPT_STATUS : status;
      await record.complete({ outcome: 'failed', status: sent, errorCode: toOutcomeCode(result) });
      const error = kept?.isKept() ? readErrorBody(result.body).error : null;
      if (kept && error) await endKept(kept, request.operation, error);
      else await relayRejection(result, target, output);
      return;
    }
    if (result.isStream) kept?.follow(result.tap.isAtBoundary);
    else if (kept?.isKept())
      throw new Problem('model_provider_error', 'The model provider responded late, and not with a stream.');
    const complete = (end: RelayEnd): Promise<void> => {
      const isFailure = end !== 'complete' && end !== 'canceled';
      const error = isFailure
        ? new UpstreamError(end === 'timeout' ? 'timeout' : 'broken', 'The response is incomplete.')
        : null;
      catalog.report(request.actor.workspaceId, target, error);
      if (end !== 'complete') record.setOutcome(end);
      return record.complete({
        outcome: isFailure ? 'failed' : RELAY_OUTCOMES[end],
        status,
        errorCode: end === 'complete' ? null : end,
      });
    };
    await relay(result, target, request.operation, output, {
      onChunk: (chunk) => {
        record.markFirstByte();
        capture?.add(chunk);
      },
      beforeEnd: (end) => settleWithin(complete(end), RECORD_WAIT_MS),
    });
  };

  const execute = async (
    request: CallRequest,
    resolved: Resolved,
    caller: CallOutput,
    span: Span | null,
  ): Promise<void> => {
    const { id, actor, operation, body, isTest } = request;
    const { signal } = caller;
    const targets = await Promise.all(
      getTargets(request, resolved).map((target) =>
        withFurtherModels(catalog, actor, body.furtherModels, target),
      ),
    );
    const worst = getWorstCase(operation, body, targets);
    const { route } = resolved;
    const call = await ledger.admit({ id, actor, operation, model: body.model, route, worst, isTest });
    const capture = call.storesContent ? createContentCapture(body.bytes) : null;
    const record = createCallRecord(call, {
      log,
      complete: async (result) => {
        span?.set(getResultAttributes(result));
        if (result.errorCode) span?.fail(result.errorCode);
        await Promise.all([
          ledger.complete(call, result),
          capture ? storeContent(call, capture.get()) : undefined,
        ]);
      },
    });
    const [only, ...others] = targets;
    const kept =
      body.stream && operation !== 'embeddings'
        ? createKeepAlive(caller, others.length === 0 ? toTargetHeaders(only!) : {})
        : null;
    const output = kept ?? caller;
    const run: Run = {
      request,
      output,
      kept,
      record,
      fallbackOn: resolved.fallbackOn ?? [],
      capture,
    };
    let attempt: Attempt | null = null;
    try {
      signal.throwIfAborted();
      const tried = await tryTargets(run, targets);
      ({ attempt } = tried);
      await respond(run, tried);
    } catch (error) {
      const isKnown = error instanceof Problem;
      await record.complete(
        signal.aborted
          ? { outcome: 'canceled', status: null, errorCode: 'canceled' }
          : {
              outcome: 'failed',
              status: kept?.isKept() ? KEPT_STATUS : isKnown ? error.status : 500,
              errorCode: isKnown ? error.code : 'internal_error',
            },
      );
      if (!kept?.isKept() || signal.aborted || !isKnown) throw error;
      await endKept(kept, operation, openAiError(error).error);
    } finally {
      kept?.stop();
      attempt?.close();
    }
  };

  return {
    async run(asked, caller) {
      const { actor, body } = asked;
      const resolved = await catalog.resolve(actor.workspaceId, body.model);
      assertModelsAllowed(actor, [['/model', body.model]]);
      // Not before: a name that is no model's may be anything that the caller sent.
      const named = { operation: asked.operation, model: asked.body.model };
      const span = startSpan(getCallName(named), 'client', getRequestAttributes(named));
      const request = span ? { ...asked, traceparent: span.traceparent } : asked;
      return traced(span, () => execute(request, resolved, caller, span));
    },
  };
}
