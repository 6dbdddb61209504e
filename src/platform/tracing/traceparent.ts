/** The W3C `traceparent` header: which trace a request belongs to, and whether the caller sampled it. */

const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/;

/** Returns the value if it is a valid `traceparent`; null for anything else, which is ignored. */
export const readTraceparent = (value: unknown): string | null =>
  typeof value === 'string' && TRACEPARENT.test(value) ? value : null;

export interface TraceContext {
  traceId: string;
  spanId: string;
  isSampled: boolean;
}

/** @param traceparent valid, as `readTraceparent` returns it */
export function parseTraceparent(traceparent: string): TraceContext {
  const [, traceId = '', spanId = '', flags = ''] = TRACEPARENT.exec(traceparent) ?? [];
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

export const formatTraceparent = ({ traceId, spanId, isSampled }: TraceContext): string =>
  `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;
