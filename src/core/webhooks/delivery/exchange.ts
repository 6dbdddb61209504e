/** How a delivery leaves the server: through the egress guard, within one deadline. */
import type { Egress } from '../../../platform/egress/egress.ts';
import { MAX_RESPONSE_BYTES, type Exchange, TIMEOUT_MS } from './sender.ts';

/** @param timeoutMs over everything, from the look-up of the name to the status of the response. */
export const createExchange =
  (egress: Egress, timeoutMs = TIMEOUT_MS): Exchange =>
  ({ url, headers, body, signal, beforeSend }) =>
    egress.request({
      url,
      headers,
      body,
      signal,
      beforeSend,
      method: 'POST',
      timeoutMs,
      maxAnswerBytes: MAX_RESPONSE_BYTES,
      statusDecides: true,
    });
