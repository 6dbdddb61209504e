/**
 * Delivers to inspectors of this server without the network. The egress guard rejects the server's own address on most
 * machines (loopback, private), so deliveries are passed within the process to the same code that external callers
 * reach.
 */
import { problemBody, toProblem } from '../../platform/http/problem.ts';
import { newRequestId } from '../../platform/http/ids.ts';
import type { Log } from '../../platform/logging/log.ts';
import { readInspectUrl } from './inspect-token.ts';
import type { DeliveryContext } from './delivery/delivery-context.ts';
import {
  type InspectorReceiver,
  type InspectorReply,
  MAX_KEPT_BODY,
  unknownAddress,
} from './inspector-receiver.ts';

export interface LocalDelivery {
  url: string;
  headers: Record<string, string>;
  body: string | Buffer;
  /** Ends the wait for an answer. */
  signal: AbortSignal;
  deliveryContext: DeliveryContext;
}

export interface LocalResponse {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
}

export interface LocalTransport {
  /** Returns whether a URL is exactly an inspector of this server: BASE_URL, /inspect/, and a token or ID. */
  accepts(url: string): boolean;
  /**
   * Delivers by POST, without rate limits. Errors are responses, as over the network: 404 for an unknown token.
   * @throws the signal's reason once it is aborted
   */
  deliver(localDelivery: LocalDelivery): Promise<LocalResponse>;
}

export function createLocalTransport(deps: {
  baseUrl: string;
  receiver: InspectorReceiver;
  log: Pick<Log, 'error'>;
}): LocalTransport {
  const { baseUrl, receiver, log } = deps;

  function refusal(error: unknown): LocalResponse {
    const { problem, unexpected } = toProblem(error);
    const requestId = newRequestId();
    if (unexpected) log.error({ request_id: requestId, err: error }, 'an inspector could not receive');
    return {
      status: problem.status,
      headers: { ...problem.headers, 'content-type': 'application/problem+json' },
      body: Buffer.from(JSON.stringify(problemBody(problem, requestId, baseUrl))),
    };
  }

  async function receive({
    url,
    headers,
    body,
    signal,
    deliveryContext,
  }: LocalDelivery): Promise<InspectorReply> {
    const inspector = readInspectUrl(baseUrl, url);
    if (inspector === null) throw unknownAddress();
    const bytes = typeof body === 'string' ? Buffer.from(body) : body;
    return receiver.receive({
      inspector,
      method: 'POST',
      path: '',
      query: null,
      headers: Object.entries(headers),
      source: 'delivery',
      remoteAddress: null,
      deliveryContext: deliveryContext,
      readBody: async () => ({
        kept: bytes.subarray(0, MAX_KEPT_BODY),
        size: bytes.length,
        whole: bytes,
      }),
      signal,
    });
  }

  return {
    accepts: (url) => readInspectUrl(baseUrl, url) !== null,
    async deliver(localDelivery) {
      try {
        const { body, ...answer } = await receive(localDelivery);
        return { ...answer, body: body ?? Buffer.alloc(0) };
      } catch (error) {
        localDelivery.signal.throwIfAborted();
        return refusal(error);
      }
    },
  };
}
