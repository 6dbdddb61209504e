/** Detects callers that leave before their response, so that their work can be stopped. */
import type { FastifyReply } from 'fastify';
import { Problem } from './problem.ts';

export const callerLeft = (): Problem =>
  new Problem('request_timeout', 'The client disconnected before the response.');

/** @returns aborts with `callerLeft` once the connection of a request ends before its response is complete */
export function watchConnection({ raw }: FastifyReply): AbortSignal {
  const left = new AbortController();
  raw.once('close', () => {
    if (!raw.writableFinished) left.abort(callerLeft());
  });
  return left.signal;
}
