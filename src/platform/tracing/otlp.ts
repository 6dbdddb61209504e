/**
 * Exports spans to an OTLP receiver over HTTP, as JSON. Loaded only if there is an endpoint. Nothing is registered
 * globally, so libraries that instrument themselves stay silent.
 *
 * A receiver that is down or hangs costs spans, which are dropped beyond a bounded queue, and nothing else.
 */
import { ROOT_CONTEXT, SpanKind as Kind, SpanStatusCode, trace, TraceFlags } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOnSampler,
  BatchSpanProcessor,
  TracerProvider,
  type SpanExporter,
} from '@opentelemetry/sdk-trace';
import type { Log } from '../logging/log.ts';
import { createFailureLog } from '../metrics/failure-log.ts';
import { formatTraceparent, parseTraceparent } from './traceparent.ts';
import type { TracingSettings } from './tracing-settings.ts';
import type { SpanKind, Tracer } from './span.ts';

const MAX_QUEUED = 2_048;
const MAX_BATCH = 512;
const BATCH_MS = 1_000;
const MAX_VALUE = 256;

const KINDS: Record<SpanKind, Kind> = {
  internal: Kind.INTERNAL,
  server: Kind.SERVER,
  client: Kind.CLIENT,
  producer: Kind.PRODUCER,
  consumer: Kind.CONSUMER,
};

/**
 * Logs the first failure and the recovery. Errors of the exporter contain responses, so only their status is logged. A
 * response that never ends is a failure as well: the exporter's own timeout is one of silence.
 */
function withFailureLog(
  exporter: SpanExporter,
  timeoutMs: number,
  log: Pick<Log, 'info' | 'error'>,
): SpanExporter {
  const failures = createFailureLog(log, {
    details: {},
    failed: 'tracing: could not export spans, dropping them',
    recovered: 'tracing: exports spans again',
  });
  return {
    export(spans, done) {
      const timer = setTimeout(() => failures.failed({ type: 'Timeout' }), timeoutMs).unref();
      exporter.export(spans, (result) => {
        clearTimeout(timer);
        const { error } = result as { error?: Error & { code?: unknown } };
        if (error) failures.failed({ type: error.name, code: error.code });
        else failures.succeeded();
        done(result);
      });
    },
    forceFlush: async () => exporter.forceFlush?.(),
    shutdown: () => exporter.shutdown(),
  };
}

export function createOtlpTracer(
  { url, headers, timeoutMs, resource }: TracingSettings,
  log: Pick<Log, 'info' | 'error'>,
): Tracer {
  const processor = new BatchSpanProcessor({
    exporter: withFailureLog(
      new OTLPTraceExporter({ url, headers, timeoutMillis: timeoutMs }),
      timeoutMs,
      log,
    ),
    maxQueueSize: MAX_QUEUED,
    maxExportBatchSize: MAX_BATCH,
    scheduledDelayMillis: BATCH_MS,
    exportTimeoutMillis: timeoutMs,
  });
  const provider = new TracerProvider({
    resource: resourceFromAttributes(resource),
    // Spans are created in sampled traces only.
    sampler: new AlwaysOnSampler(),
    spanLimits: { attributeValueLengthLimit: MAX_VALUE },
    spanProcessors: [processor],
  });
  const tracer = provider.getTracer('fairlead', resource['service.version']);
  return {
    start(name, kind, parent, attributes) {
      let context = ROOT_CONTEXT;
      if (parent !== null) {
        const { traceId, spanId } = parseTraceparent(parent);
        const remote = { traceId, spanId, traceFlags: TraceFlags.SAMPLED, isRemote: true };
        context = trace.setSpanContext(ROOT_CONTEXT, remote);
      }
      const span = tracer.startSpan(name, { kind: KINDS[kind], attributes: { ...attributes } }, context);
      const { traceId, spanId } = span.spanContext();
      let isEnded = false;
      return {
        traceparent: formatTraceparent({ traceId, spanId, isSampled: true }),
        get isEnded() {
          return isEnded;
        },
        set: (more) => void span.setAttributes(more),
        fail(code) {
          span.setAttribute('error.type', code);
          span.setStatus({ code: SpanStatusCode.ERROR });
        },
        end() {
          if (isEnded) return;
          isEnded = true;
          span.end();
        },
      };
    },
    // A failed export is logged above.
    stop: () => provider.shutdown().catch(() => undefined),
  };
}
