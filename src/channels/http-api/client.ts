/**
 * Calls of channels with an HTTP API, through the egress guard. A failed call becomes a DriverError that says whether the
 * channel may have accepted it.
 *
 * Invariant: errors contain no URL and no header, because either may contain a token.
 */
import type { Egress } from '../../platform/egress/egress.ts';
import type { DriverError } from '../contract/driver-error.ts';
import { type AnswerRules, type ApiAnswer, readAnswer } from './answer.ts';
import { toNetworkError } from './failures.ts';

export type { ApiAnswer };

export interface ApiCall {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  url: string;
  headers?: Record<string, string>;
  body?: Buffer | string;
  /** One deadline over everything, in milliseconds. */
  timeoutMs?: number;
  /** A longer answer is invalid. */
  maxAnswerBytes?: number;
  signal: AbortSignal;
  /**
   * Repeating the call has no further effect at the channel, so no failure of it is `unknown`. Default: whether the method
   * is GET.
   */
  isSafe?: boolean;
  /** The channel may hold its answer back until there is news (egress.ts). */
  isLongPoll?: boolean;
}

export interface ApiDefaults extends AnswerRules {
  timeoutMs: number;
}

export interface ApiClient {
  readonly defaults: Readonly<ApiDefaults>;
  /**
   * Sends one request. Redirects are not followed.
   * @throws DriverError from `classify`; `lost` if nothing was sent; `unknown` if the outcome is uncertain; `refused` if
   * the operator does not allow the host
   */
  call(call: ApiCall): Promise<ApiAnswer>;
}

export const USER_AGENT = 'Fairlead/1.0';

export function createApiClient(egress: Pick<Egress, 'request'>, defaults: ApiDefaults): ApiClient {
  return {
    defaults,
    async call(call) {
      const isSafe = call.isSafe ?? call.method === 'GET';
      const { maxAnswerBytes = defaults.maxAnswerBytes } = call;
      let isSent = false;
      const failed = (error: unknown): DriverError =>
        toNetworkError(error, defaults.title, isSent && !isSafe);
      const answer = await egress
        .request({
          method: call.method,
          url: call.url,
          headers: { accept: 'application/json', 'user-agent': USER_AGENT, ...call.headers },
          body: call.body,
          timeoutMs: call.timeoutMs ?? defaults.timeoutMs,
          maxAnswerBytes,
          signal: call.signal,
          isLongPoll: call.isLongPoll,
          beforeSend: () => (isSent = true),
        })
        .catch((error: unknown) => {
          throw failed(error);
        });
      return readAnswer(answer, { ...defaults, maxAnswerBytes }, isSafe);
    },
  };
}
