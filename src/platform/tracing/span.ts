/** What a span is, and who creates it. */

export type SpanKind = 'internal' | 'server' | 'client' | 'producer' | 'consumer';

/** Never content, addresses, or secrets: names, numbers, codes and IDs. Undefined values are left out. */
export type SpanAttributes = Record<string, string | number | boolean | readonly string[] | undefined>;

export interface Span {
  /** W3C header value of this span, for what it causes. */
  readonly traceparent: string;
  readonly isEnded: boolean;
  set(attributes: SpanAttributes): void;
  /** Marks the span as failed. @param code error code of a known set, without content */
  fail(code: string): void;
  /** Has no effect after the first time. */
  end(): void;
}

/** Creates spans and exports them (otlp.ts). */
export interface Tracer {
  /** @param parent traceparent; null starts a new trace */
  start(name: string, kind: SpanKind, parent: string | null, attributes: SpanAttributes): Span;
  /** Exports what is left. */
  stop(): Promise<void>;
}
