/**
 * Verifies that the sender knows the secret of the endpoint and signed the request recently.
 * | Every valid secret (two during a rotation) is tried with every signature in the header. Each comparison takes
 * constant time and none is skipped, so the timing reveals nothing. The signing time is checked last: only senders with
 * a valid signature learn that it has expired.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Scheme } from './endpoint-secret.ts';
import type { HmacOptions } from './hmac-scheme.ts';
import { SIGNED_BY } from './schemes.ts';
import { badSignature, expiredSignature, type SignedParts, type SignedRequest } from './signed-parts.ts';

export interface SignatureRules {
  scheme: Scheme;
  /** Options of the scheme `hmac`; null for other schemes. */
  hmac: HmacOptions | null;
  toleranceSeconds: number;
}

/** Compares in constant time for equal lengths; the length of signatures is not secret. */
function isSame(given: string, right: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function rightSignature({ algorithm, encoding, signed }: SignedParts, key: string | Buffer): string {
  const hmac = createHmac(algorithm, key);
  for (const part of signed) hmac.update(part);
  return hmac.digest(encoding);
}

function isSigned(parts: SignedParts, rules: SignatureRules, secrets: readonly string[]): boolean {
  let found = false;
  for (const secret of secrets) {
    const key = parts.getKey(secret);
    if (key.length === 0) continue; // an empty key is public knowledge
    const whole = rightSignature(parts, key);
    const right = rules.scheme === 'hmac' ? whole.replace(/={1,2}$/, '') : whole;
    for (const signature of parts.signatures) found = isSame(signature, right) || found;
  }
  return found;
}

/**
 * Verifies a signature.
 * @param secrets currently valid secrets, in the format of the scheme
 * @throws Problem signature_invalid if a header is missing or malformed or no signature matches; signature_expired if
 *   the signature matches but its time is out of tolerance
 */
export function verifySignature(
  rules: SignatureRules,
  secrets: readonly string[],
  request: SignedRequest,
  now: Date,
): void {
  const parts = SIGNED_BY[rules.scheme](request, rules.hmac);
  if (!isSigned(parts, rules, secrets))
    throw badSignature(
      `No signature in ${parts.header} matches the secret of this endpoint and the received body. Sign the exact bytes of the body that you send.`,
    );
  if (parts.at === null) return;
  const seconds = Math.abs(now.getTime() - parts.at) / 1000;
  if (seconds > rules.toleranceSeconds)
    throw expiredSignature(
      `It was signed more than ${rules.toleranceSeconds} seconds ${parts.at < now.getTime() ? 'ago' : 'ahead of the server clock'}.`,
    );
}
