/**
 * Interface of upstreams, which execute model calls: a model provider over HTTP, or the built-in `fairlead/echo`. Every
 * upstream uses OpenAI's formats. https://platform.openai.com/docs/api-reference
 */
export const CALL_OPERATIONS = ['chat/completions', 'responses', 'embeddings'] as const;
/** The path below the provider's base URL. */
export type CallOperation = (typeof CALL_OPERATIONS)[number];

export interface UpstreamRequest {
  operation: CallOperation;
  /** With its question mark, as the caller sent it; empty for none. */
  query: string;
  /** JSON in UTF-8 that names the upstream's own model. */
  body: Buffer;
  /** Whether the caller asked for server-sent events. */
  stream: boolean;
  /** W3C traceparent to propagate, or null. */
  traceparent: string | null;
  /** Ends the request at the upstream without delay. */
  signal: AbortSignal;
  /** Milliseconds until the first byte of the body. */
  timeoutMs: number;
  /** Milliseconds between two chunks of the body. */
  partTimeoutMs: number;
}

export interface UpstreamResponse {
  status: number;
  /** Lower-case names. */
  headers: Record<string, string | string[]>;
  /** Chunks as they arrive, uncompressed. Not reading them slows the upstream down. */
  body: AsyncIterable<Uint8Array>;
}

export interface Upstream {
  /**
   * Sends a call and waits for the response headers.
   * @throws UpstreamError if there is no response; also while `body` is read, if it breaks off
   */
  send(request: UpstreamRequest): Promise<UpstreamResponse>;
}

export type UpstreamErrorCode = 'refused' | 'timeout' | 'broken' | 'address_not_allowed' | 'aborted';

/** A call without a (complete) response. Its message names no secret and may be shown to the caller. */
export class UpstreamError extends Error {
  readonly code: UpstreamErrorCode;

  constructor(code: UpstreamErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'UpstreamError';
    this.code = code;
  }
}
