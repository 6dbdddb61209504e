/** Request variables for templates beside the body: without credentials and possible secrets, and bounded in size. */
import type { IncomingHttpHeaders } from 'node:http';
import { storableText } from '../../../../platform/db/storable-text.ts';
import { type HeaderPair, redactHeaders, redactText } from '../../../../platform/http/redaction.ts';
import { isSecretName } from '../mask.ts';

const MOST = 50;
const MAX_NAME = 100;
const MAX_VALUE = 1_000;

/** Names of credentials, in addition to names that are secret anywhere. */
const PROOF = /signature|hmac|digest|^key$|^sig$/i;
/** Proxy headers with client addresses, and invalid names. */
const UNSEEN =
  /^(proxy-.*|x-forwarded-.*|forwarded|x-real-ip|cf-connecting-ip|true-client-ip|x-client-ip|__proto__)$/i;

const isSeen = (name: string): boolean =>
  name.length <= MAX_NAME && !PROOF.test(name) && !UNSEEN.test(name) && !isSecretName(name);

function bounded(pairs: Iterable<HeaderPair>): Record<string, string> {
  const seen = new Map<string, string>();
  for (const [name, value] of pairs) {
    if (seen.size >= MOST && !seen.has(name)) continue;
    if (isSeen(name)) seen.set(storableText(name), storableText(value.slice(0, MAX_VALUE)));
  }
  return Object.fromEntries(seen);
}

/**
 * Returns the visible headers.
 * @param without further names, in lower case: the signature headers of the endpoint
 */
export const getVisibleHeaders = (
  headers: IncomingHttpHeaders,
  without: readonly string[] = [],
): Record<string, string> =>
  bounded(
    redactHeaders(
      Object.entries(headers).flatMap(([name, value]): HeaderPair[] =>
        value === undefined || without.includes(name) ? [] : [[name, String(value)]],
      ),
    ),
  );

/**
 * Returns the visible query parameters.
 * @param target path and query. The last value of a repeated parameter applies.
 */
export function getVisibleQuery(target: string): Record<string, string> {
  const at = target.indexOf('?');
  return at === -1 ? {} : bounded(new URLSearchParams(redactText(target.slice(at + 1))));
}
