/**
 * Whether whoever sent a request knows the secret of its endpoint, and signed it lately.
 *
 * Every secret that counts (two during a rotation) is tried with every signature in the header, each compared in constant
 * time and none left out, so that how long it takes says nothing. The time of signing is looked at last: only who signs
 * rightly is told that it is too old.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Scheme } from '../endpoint-secret.ts';
import type { HmacOptions } from './hmac-scheme.ts';
import { SIGNED_BY } from './schemes.ts';
import { badSignature, expiredSignature, type SignedParts, type SignedRequest } from './signed-parts.ts';

export interface SignatureRules {
  scheme: Scheme;
  /** Of the scheme `hmac`; null for others. */
  hmac: HmacOptions | null;
  toleranceSeconds: number;
}

/** Compares all of both, where they are of one length; how long signatures are is no secret. */
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
    const key = parts.keyOf(secret);
    if (key.length === 0) continue; // anybody knows the empty one
    const whole = rightSignature(parts, key);
    const right = rules.scheme === 'hmac' ? whole.replace(/={1,2}$/, '') : whole;
    for (const signature of parts.signatures) found = isSame(signature, right) || found;
  }
  return found;
}

/**
 * @param secrets those that count now, as their makers write them
 * @throws Problem signature_invalid, which names a header that is missing or can't be read, or says that no signature is
 * right; signature_expired for one that is right, but of another time
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
