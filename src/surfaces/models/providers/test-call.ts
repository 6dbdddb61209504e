/** A test call to a provider, see `calls/test-call.ts`. */
import type { WorkspaceActor } from '../../../core/auth/actor.ts';
import type { CallBody } from '../contract/call-body.ts';
import type { Target } from '../contract/model-catalog.ts';
import type { CallOperation } from '../contract/upstream.ts';

export const MAX_RESPONSE_BYTES = 1024 * 1024;

export interface TestResponse {
  status: number;
  body: Buffer;
  /** Why the response is an error, if it is not in OpenAI's shape. */
  detail?: string;
}

/**
 * Makes a call and reads its response.
 * @throws UpstreamError if there is no complete response; Problem if the call is not admitted
 */
export type TestCall = (
  actor: WorkspaceActor,
  target: Target,
  operation: CallOperation,
  body: CallBody,
) => Promise<TestResponse>;
