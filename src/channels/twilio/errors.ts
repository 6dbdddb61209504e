/** Twilio's error codes: https://www.twilio.com/docs/api/errors */
import { DriverError, type DriverErrorKind } from '../contract/driver-error.ts';
import type { ApiAnswer } from '../http-api/client.ts';
import { classifyStatus, readRetryAfter, toDetail } from '../http-api/failures.ts';

const TITLE = 'Twilio';

const CODES: Record<number, [kind: DriverErrorKind, code: string]> = {
  20003: ['refused', 'authentication_failed'],
  20005: ['refused', 'account_suspended'],
  20404: ['rejected', 'not_found'],
  20429: ['busy', 'rate_limited'],
  21201: ['rejected', 'recipient_invalid'],
  21211: ['rejected', 'recipient_invalid'],
  21408: ['rejected', 'region_not_enabled'],
  21602: ['rejected', 'text_missing'],
  21603: ['rejected', 'sender_invalid'],
  21606: ['rejected', 'sender_invalid'],
  21608: ['rejected', 'recipient_not_verified'],
  21610: ['rejected', 'recipient_unsubscribed'],
  21611: ['busy', 'queue_full'],
  21612: ['rejected', 'recipient_unreachable'],
  21614: ['rejected', 'recipient_not_mobile'],
  21617: ['rejected', 'text_too_long'],
  21620: ['rejected', 'media_invalid'],
  21623: ['rejected', 'too_large'],
  21712: ['rejected', 'sender_invalid'],
  30001: ['busy', 'queue_full'],
  30002: ['refused', 'account_suspended'],
};

/** Why a message was not delivered, as status callbacks report it. */
const FAILURES: Record<number, string> = {
  21610: 'recipient_unsubscribed',
  30003: 'recipient_unavailable',
  30004: 'recipient_blocked',
  30005: 'recipient_unknown',
  30006: 'recipient_not_mobile',
  30007: 'filtered',
  30034: 'sender_not_registered',
};

/** The code and detail of a failed message. @param errorCode of the callback; empty if Twilio gave none */
export const toFailure = (errorCode: string): { code: string; detail: string } => ({
  code: FAILURES[Number(errorCode)] ?? 'rejected_by_channel',
  detail: errorCode === '' ? 'Twilio gave no reason.' : `Twilio reports error ${errorCode}.`,
});

export function classify(answer: ApiAnswer, { isSafe }: { isSafe: boolean }): DriverError | null {
  if (answer.status < 300) return null;
  const { code: number, message } = (answer.json ?? {}) as { code?: unknown; message?: unknown };
  const known = typeof number === 'number' ? CODES[number] : undefined;
  const detail = toDetail(message);
  if (!known || answer.status >= 500) return classifyStatus(answer, { isSafe, title: TITLE, detail });
  return new DriverError(known[0], known[1], `Twilio reports error ${String(number)}: ${detail}`, {
    retryAfterMs: readRetryAfter(answer.headers),
  });
}
