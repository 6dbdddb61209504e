/**
 * Signatures as Standard Webhooks says: https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';

/** Of a signing secret; base64 follows. */
export const SECRET_PREFIX = 'whsec_';
const MIN_BYTES = 24;
const MAX_BYTES = 64;

/** Returns the key in a signing secret, 24 to 64 bytes; null if the text is invalid. */
export function parseSecret(text: string): Buffer | null {
  if (!text.startsWith(SECRET_PREFIX)) return null;
  const encoded = text.slice(SECRET_PREFIX.length);
  const key = Buffer.from(encoded, 'base64');
  const canonical = key.toString('base64') === encoded;
  return canonical && key.length >= MIN_BYTES && key.length <= MAX_BYTES ? key : null;
}

/** One `v1,…` for each key, with blanks between: after a rotation the old key signs too. */
export function getSignature(
  keys: readonly KeyObject[],
  id: string,
  timestamp: number,
  body: string,
): string {
  const signed = `${id}.${timestamp}.${body}`;
  return keys.map((key) => `v1,${createHmac('sha256', key).update(signed).digest('base64')}`).join(' ');
}

/** Whether one of the signatures in a `webhook-signature` is by one of the keys. Does not check the timestamp's age. */
export function isSignedBy(
  keys: readonly KeyObject[],
  given: { id: string; timestamp: string; signature: string },
  body: Buffer,
): boolean {
  const signatures = given.signature
    .split(' ')
    .filter((part) => part.startsWith('v1,'))
    .map((part) => Buffer.from(part.slice(3), 'base64'));
  return keys.some((key) => {
    const right = createHmac('sha256', key).update(`${given.id}.${given.timestamp}.`).update(body).digest();
    return signatures.some(
      (signature) => signature.length === right.length && timingSafeEqual(signature, right),
    );
  });
}
