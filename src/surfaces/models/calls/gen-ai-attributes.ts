/**
 * Names of the attributes of model calls in traces, by OpenTelemetry's conventions for generative AI. These are not
 * stable yet, so they are pinned here: by default as of version 1.36, and with `gen_ai_latest_experimental` in
 * OTEL_SEMCONV_STABILITY_OPT_IN as of version 1.37. Prompts and responses are never among them.
 */
import type { SpanAttributes } from '../../../platform/tracing/span.ts';
import { hasOptedIn } from '../../../platform/tracing/tracing.ts';
import type { CallResult, NewCall } from '../contract/call-ledger.ts';
import type { CallOperation } from '../contract/upstream.ts';

/** Callers choose it. */
const MAX_NAME = 100;
const LATEST = 'gen_ai_latest_experimental';

const OPERATIONS: Record<CallOperation, string> = {
  'chat/completions': 'chat',
  responses: 'chat',
  embeddings: 'embeddings',
};

/** Name of the span of a call. */
export const getCallName = ({ operation, model }: Pick<NewCall, 'operation' | 'model'>): string =>
  `${OPERATIONS[operation]} ${model.slice(0, MAX_NAME)}`;

export const getRequestAttributes = ({
  operation,
  model,
}: Pick<NewCall, 'operation' | 'model'>): SpanAttributes => ({
  'gen_ai.operation.name': OPERATIONS[operation],
  'gen_ai.request.model': model,
});

/** @param result of the call; its model is `provider/model` */
export function getResultAttributes({ model, usage, outcome, status, attempts }: CallResult): SpanAttributes {
  const [provider = model] = model.split('/');
  const isLatest = hasOptedIn(LATEST);
  return {
    [isLatest ? 'gen_ai.provider.name' : 'gen_ai.system']: provider,
    'gen_ai.response.model': model.slice(provider.length + 1) || model,
    'gen_ai.usage.input_tokens': usage.input,
    'gen_ai.usage.output_tokens': usage.output,
    'http.response.status_code': status ?? undefined,
    'fairlead.outcome': outcome,
    'fairlead.attempts': attempts ?? undefined,
  };
}
