/** How deliveries choose their way: inspectors of this server by the door, everybody else over the guarded network. */
import type { Egress } from '../../platform/egress/egress.ts';
import type { Answer } from '../../platform/egress/exchange.ts';
import type { Log } from '../../platform/logging/log.ts';
import { createExchange } from './delivery/exchange.ts';
import { MAX_RESPONSE_BYTES, type Exchange, TIMEOUT_MS } from './delivery/sender.ts';
import { createLocalTransport, type LocalTransport } from './local-transport.ts';
import type { InspectorReceiver } from './inspector-receiver.ts';

const timeOut = (ms: number): Error => {
  const detail = `The receiver did not answer within ${ms / 1000} s.`;
  return Object.assign(new Error(detail), { code: 'timeout', detail });
};

async function deliverLocally(
  transport: LocalTransport,
  { signal, ...request }: Parameters<Exchange>[0],
  timeoutMs: number,
): Promise<Answer> {
  const deadline = AbortSignal.timeout(timeoutMs);
  try {
    const answer = await transport.deliver({ ...request, signal: AbortSignal.any([signal, deadline]) });
    return {
      ...answer,
      body: answer.body.subarray(0, MAX_RESPONSE_BYTES),
      truncated: answer.body.length > MAX_RESPONSE_BYTES,
      remoteAddress: null,
    };
  } catch (error) {
    signal.throwIfAborted();
    throw deadline.aborted ? timeOut(timeoutMs) : error;
  }
}

/**
 * @param outside transport for all other requests
 * @param timeoutMs total time limit, as for those
 */
export const withInspectors =
  (transport: LocalTransport, outside: Exchange, timeoutMs = TIMEOUT_MS): Exchange =>
  (request) =>
    transport.accepts(request.url) ? deliverLocally(transport, request, timeoutMs) : outside(request);

export const createDeliveryExchange = (deps: {
  baseUrl: string;
  receiver: InspectorReceiver;
  egress: Egress;
  log: Pick<Log, 'error'>;
}): Exchange => withInspectors(createLocalTransport(deps), createExchange(deps.egress));
