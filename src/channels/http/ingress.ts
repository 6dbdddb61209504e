/**
 * Requests of a bridge: `{"signals": […]}`, signed as a Standard Webhook with the instance's secret. The body is only
 * read after the signature and age are verified.
 */
import { isUtf8 } from 'node:buffer';
import { parseOwnJson } from '../../platform/json/own-json.ts';
import { isSignedBy } from '../../platform/crypto/webhook-signature.ts';
import { storableJson } from '../../platform/db/storable-text.ts';
import { readJson } from '../../platform/http/json-body.ts';
import { type FieldError, Problem } from '../../platform/http/problem.ts';
import type { ChannelIngress, IngressOutcome, IngressPart } from '../contract/ingress.ts';
import type { Json } from '../contract/json.ts';
import { readKey } from './settings.ts';
import { readSignal } from './signals.ts';

const MAX_BYTES = 1024 * 1024;
const MAX_SIGNALS = 100;
const MAX_ERRORS = 50;
const TOLERANCE_SECONDS = 300;
/** Without a dot, which would let parts of the body be taken for the time. */
const ID = /^[\w-]{1,100}$/;
const TIME = /^\d{1,12}$/;

const refused = (
  code: 'signature_invalid' | 'signature_expired' | 'invalid_request',
  detail: string,
  errors?: FieldError[],
): IngressOutcome => ({ kind: 'refused', code, detail, ...(errors && { errors }) });

export const ingress: ChannelIngress = {
  maxBytes: MAX_BYTES,
  receive({ method, headers, body, at }, { credentials }) {
    const { 'webhook-id': id = '', 'webhook-timestamp': timestamp = '' } = headers;
    const signature = headers['webhook-signature'] ?? '';
    if (method !== 'POST') return refused('invalid_request', 'Post signals; GET is not supported.');
    if (!ID.test(id))
      return refused('signature_invalid', 'webhook-id must have 1 to 100 letters, digits, - or _.');
    if (!TIME.test(timestamp))
      return refused('signature_invalid', 'webhook-timestamp must be the time in seconds since 1970.');
    if (!isSignedBy([readKey(credentials)], { id, timestamp, signature }, body))
      return refused(
        'signature_invalid',
        'No signature in webhook-signature matches the secret of this instance and the received body.',
      );
    const seconds = Math.abs(at.getTime() / 1000 - Number(timestamp));
    if (seconds > TOLERANCE_SECONDS)
      return refused('signature_expired', `webhook-timestamp is more than ${TOLERANCE_SECONDS} seconds off.`);
    return readBody(body, id, at);
  },
};

function readBody(body: Buffer, id: string, at: Date): IngressOutcome {
  let given: unknown;
  try {
    // Users of the channel may write characters that cannot be stored, which is not an error of the bridge.
    given = readJson(isUtf8(body) ? Buffer.from(storableJson(body.toString())) : body);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return refused('invalid_request', error.message, error.errors);
  }
  const { signals } = (given ?? {}) as { signals?: unknown };
  if (!Array.isArray(signals) || signals.length === 0 || signals.length > MAX_SIGNALS)
    return refused('invalid_request', `Send {"signals": […]} with 1 to ${MAX_SIGNALS} signals.`, [
      { pointer: '/signals', code: 'invalid_value', detail: `must be 1 to ${MAX_SIGNALS} signals` },
    ]);
  const parts: IngressPart[] = [];
  const errors: FieldError[] = [];
  for (const [index, one] of signals.entries()) {
    const read = readSignal(one, `/signals/${index}`, at);
    if ('errors' in read) errors.push(...read.errors);
    else
      parts.push({
        accountKey: null,
        id: `${id}/${index}`,
        body: parseOwnJson<Json>(JSON.stringify(read.signal)),
      });
  }
  if (errors.length > 0)
    return refused(
      'invalid_request',
      'Some signals are invalid; none was stored.',
      errors.slice(0, MAX_ERRORS),
    );
  return { kind: 'accepted', parts };
}
