/**
 * Spans of this process. Without an OTLP endpoint, no library is loaded, nothing is recorded, and each function returns
 * immediately.
 *
 * The decision to sample is made once, where a trace enters the process (`startTrace`). Everything below continues a
 * trace that is sampled (`startSpan`), so work of a trace that isn't sampled costs one comparison. Across queues, the
 * `traceparent` of sampled work is stored beside it.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Log } from '../logging/log.ts';
import { settleWithin } from '../time/timeout.ts';
import type { Span, SpanAttributes, SpanKind, Tracer } from './span.ts';
import { parseTraceparent } from './traceparent.ts';
import type { TracingSettings } from './tracing-settings.ts';

/** The last export delays the stop of the server by at most this time. */
const STOP_MS = 2_000;

let running: { tracer: Tracer; settings: TracingSettings } | null = null;
const current = new AsyncLocalStorage<Span | null>();

/** Loads the exporter if there is an endpoint. @returns the function that stops it */
export async function startTracing(
  settings: TracingSettings | null,
  log: Pick<Log, 'info' | 'error'>,
): Promise<() => Promise<void>> {
  if (!settings) return async () => undefined;
  const { createOtlpTracer } = await import('./otlp.ts');
  const started = { tracer: createOtlpTracer(settings, log), settings };
  running = started;
  return async () => {
    if (running === started) running = null;
    await settleWithin(started.tracer.stop(), STOP_MS);
  };
}

/** Whether spans are exported. */
export const isTracing = (): boolean => running !== null;

/** Whether OTEL_SEMCONV_STABILITY_OPT_IN has a value. */
export const hasOptedIn = (value: string): boolean => running?.settings.stability.includes(value) ?? false;

/** Whether a trace that begins here is sampled. Only a sampler that is based on the parent lets a caller decide. */
function isSampled({ sampler }: TracingSettings, incoming: string | null): boolean {
  if (sampler.isParentBased && incoming !== null) return parseTraceparent(incoming).isSampled;
  return sampler.ratio >= 1 || Math.random() < sampler.ratio;
}

/**
 * Starts the first span of a trace in this process.
 * @param incoming the caller's traceparent, whose trace it joins; null for none
 * @returns null if the trace is not sampled
 */
export function startTrace(
  name: string,
  kind: SpanKind,
  incoming: string | null = null,
  attributes: SpanAttributes = {},
): Span | null {
  if (!running || !isSampled(running.settings, incoming)) return null;
  return running.tracer.start(name, kind, incoming, attributes);
}

/**
 * Starts a span in a sampled trace.
 * @param parent traceparent that was stored with the work; by default that of the current span
 * @returns null without a parent
 */
export function startSpan(
  name: string,
  kind: SpanKind,
  attributes: SpanAttributes = {},
  parent: string | null | undefined = currentTraceparent(),
): Span | null {
  if (!running || !parent) return null;
  return running.tracer.start(name, kind, parent, attributes);
}

/**
 * Returns the traceparent of the current span; null if there is none. A span that has ended is nobody's parent: timers
 * and sockets created during it keep its context.
 */
export function currentTraceparent(): string | null {
  if (!running) return null;
  const span = current.getStore();
  return span && !span.isEnded ? span.traceparent : null;
}

/** Headers that let a receiver continue the current span's trace. */
export function traceHeaders(): { traceparent?: string } {
  const traceparent = currentTraceparent();
  return traceparent === null ? {} : { traceparent };
}

/** Runs work with the span as the current one. Null for none: work for others that this context only triggers. */
export const withSpan = <T>(span: Span | null, work: () => T): T =>
  running ? current.run(span, work) : work();

/** Binds work to the current span, for gates and queues that run it from the context of others. */
export function keepSpan<T>(work: () => T): () => T {
  if (!running) return work;
  const span = current.getStore() ?? null;
  return () => current.run(span, work);
}

/** Runs work with the span as the current one, and ends it when the work ends. A thrown error marks it as failed. */
export async function traced<T>(span: Span | null, work: () => Promise<T>): Promise<T> {
  try {
    return await withSpan(span, work);
  } catch (error) {
    span?.fail(error instanceof Error ? error.name : 'error');
    throw error;
  } finally {
    span?.end();
  }
}
