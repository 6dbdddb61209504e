/**
 * Meta's error codes, and their meaning here. Errors arrive with responses and, since most checks are asynchronous,
 * with `failed` statuses of messages. See https://developers.facebook.com/docs/whatsapp/cloud-api/support/error-codes.
 */
import { DriverError, type DriverErrorKind } from '../contract/driver-error.ts';
import type { Json } from '../contract/json.ts';
import { type ApiAnswer } from '../http-api/client.ts';
import { classifyStatus, readRetryAfter, toDetail } from '../http-api/failures.ts';
import { readNumberField, readObject, readText } from './fields.ts';

interface Meaning {
  kind: DriverErrorKind;
  code: string;
  /** What to do, if Meta's text does not say it. */
  hint?: string;
  retryAfterMs?: number;
}

const rejected = (code: string, hint?: string): Meaning => ({ kind: 'rejected', code, hint });
const restricted = (code: string): Meaning => ({ kind: 'restricted', code });
const refused = (code: string, hint?: string): Meaning => ({ kind: 'refused', code, hint });
const busy = (code: string, retryAfterMs?: number): Meaning => ({ kind: 'busy', code, retryAfterMs });

const PERMISSION = refused(
  'permission_missing',
  'The token needs whatsapp_business_messaging and whatsapp_business_management, and access to the business account.',
);
const NOT_REGISTERED = refused(
  'number_not_registered',
  'Register the phone number in WhatsApp Manager, then connect again.',
);

const MEANINGS: ReadonlyMap<number, Meaning> = new Map<number, Meaning>([
  // Sign-in
  [0, refused('authentication_failed', 'Create a new access token.')],
  [190, refused('token_expired', 'The access token has expired or was revoked. Create a new one.')],
  [3, PERMISSION],
  [10, PERMISSION],
  [131005, PERMISSION],
  [33, refused('number_unknown', 'The phone number was deleted, or the token has no access to it.')],
  [131045, NOT_REGISTERED],
  [133010, NOT_REGISTERED],
  // Rates
  [4, busy('rate_limited', 60_000)],
  [80007, busy('rate_limited', 60_000)],
  [130429, busy('rate_limited', 1_000)],
  [131056, busy('recipient_rate_limited', 6_000)],
  // The account
  [368, restricted('policy_violation')],
  [131031, restricted('account_locked')],
  [131037, restricted('display_name_not_approved')],
  [131042, restricted('payment_issue')],
  [131048, restricted('spam_rate_limited')],
  // The recipient
  [130472, rejected('recipient_in_experiment')],
  [130497, rejected('country_restricted')],
  [131021, rejected('recipient_is_sender')],
  [131026, rejected('recipient_unavailable')],
  [131030, rejected('recipient_not_allowed', 'Add the recipient to the test numbers of the Meta app.')],
  [131047, rejected('window_closed', 'The recipient has not written in 24 hours. Send a template.')],
  [
    131049,
    rejected('recipient_limited', 'Meta limits marketing messages to this person. Wait before you retry.'),
  ],
  [131050, rejected('recipient_opted_out')],
  // The message
  [100, rejected('invalid_parameter')],
  [131008, rejected('invalid_parameter')],
  [131009, rejected('invalid_parameter')],
  [135000, rejected('invalid_parameter')],
  [131051, rejected('unsupported_type')],
  [131052, rejected('media_download_failed')],
  [131053, rejected('media_rejected')],
  [131062, rejected('number_required', 'Send it to the phone number of the person.')],
  // Templates
  [132000, rejected('wrong_parameter_count')],
  [132001, rejected('unknown_template')],
  [132005, rejected('template_text_too_long')],
  [132007, rejected('template_policy_violation')],
  [132012, rejected('wrong_parameter_count')],
  [132015, rejected('template_paused')],
  [132016, rejected('template_disabled')],
  [132018, rejected('parameter_line_break')],
  [132068, rejected('flow_blocked')],
  [132069, busy('flow_throttled', 60_000)],
  // Blocked users
  [139100, rejected('block_failed', 'Only people who wrote in the last 24 hours can be blocked.')],
  [139101, rejected('block_list_full')],
  [139102, busy('block_list_busy', 1_000)],
  [139103, busy('channel_unavailable')],
  // Meta's servers. Codes 1 and 131000 don't say whether the message was accepted.
  [1, { kind: 'unknown', code: 'no_answer' }],
  [131000, { kind: 'unknown', code: 'no_answer' }],
  [2, busy('channel_unavailable')],
  [131016, busy('channel_unavailable')],
  [131057, busy('channel_unavailable', 60_000)],
]);

/** Returns the meaning of a code; null if it is not known. 200 to 299 are missing permissions. */
const getMeaning = (code: number | null): Meaning | null => {
  if (code === null) return null;
  return code >= 200 && code <= 299 ? PERMISSION : (MEANINGS.get(code) ?? null);
};

export interface ApiError {
  code: number | null;
  /** For people: Meta's text, its code, and what to do. */
  detail: string;
  meaning: Meaning | null;
}

/** Reads an error object of a response or of a webhook; null if it is none. */
export function readError(json: Json | undefined): ApiError | null {
  const error = readObject(json);
  if (!error) return null;
  const code = readNumberField(error['code']);
  const meaning = getMeaning(code);
  const details = readText(readObject(error['error_data'])?.['details']);
  const text = toDetail(details ?? readText(error['message']) ?? readText(error['title']) ?? 'No details.');
  const name = code === null ? 'WhatsApp' : `WhatsApp error ${code}`;
  return { code, meaning, detail: `${name}: ${text}${meaning?.hint ? ` ${meaning.hint}` : ''}` };
}

const toDriverError = (
  { detail, meaning }: ApiError & { meaning: Meaning },
  retryAfterMs = meaning.retryAfterMs,
): DriverError => new DriverError(meaning.kind, meaning.code, detail, { retryAfterMs });

/** Returns the error of a response; null if it was successful. */
export function classify(answer: ApiAnswer, call: { isSafe: boolean }): DriverError | null {
  if (answer.status >= 200 && answer.status < 300) return null;
  const error = readError(readObject(answer.json)?.['error']);
  const meaning = error?.meaning;
  if (!error || !meaning)
    return classifyStatus(answer, { ...call, title: 'WhatsApp', detail: error?.detail ?? '' });
  if (meaning.kind === 'unknown' && call.isSafe)
    return new DriverError('busy', 'channel_unavailable', error.detail);
  return toDriverError({ ...error, meaning }, readRetryAfter(answer.headers) ?? meaning.retryAfterMs);
}
