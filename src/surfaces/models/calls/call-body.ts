/** The body of a call: what the pipeline reads of it, and what an upstream receives. */
import { getLossless } from '../../../platform/http/json-body.ts';
import type { CallOperation } from './upstream.ts';

/** Parsed JSON. Only these fields are read; all fields are passed on. */
export interface CallBody {
  model: string;
  stream?: boolean | null;
  stream_options?: { include_usage?: boolean | null } | null;
  [more: string]: unknown;
}

/** Whether a stream reports its usage only if it is asked to, and the caller did not ask. */
export const needsUsage = (
  operation: CallOperation,
  { stream, stream_options: options }: CallBody,
): boolean => operation === 'chat/completions' && stream === true && options?.include_usage !== true;

/** Returns the JSON with the upstream's name of the model. @param asksUsage whether to ask a chat stream for its usage */
export function toUpstreamBody(body: CallBody, upstreamModel: string, asksUsage: boolean): Buffer {
  const changed: CallBody = { ...getLossless(body), model: upstreamModel };
  if (asksUsage) changed.stream_options = { ...changed.stream_options, include_usage: true };
  return Buffer.from(JSON.stringify(changed));
}
