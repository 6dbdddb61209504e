/**
 * Implements SCRAM (RFC 5802, 7677) without channel binding: both sides prove that they know the password without
 * sending it.
 */
import { createHash, createHmac, pbkdf2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

const derive = promisify(pbkdf2);

/** Best first. */
export const SCRAM_HASHES = {
  'SCRAM-SHA-512': 'sha512',
  'SCRAM-SHA-256': 'sha256',
  'SCRAM-SHA-1': 'sha1',
} as const;
export type ScramMechanism = keyof typeof SCRAM_HASHES;

/**
 * Limits for the number of hash rounds, which the server chooses. Many rounds cost us time; few would let an
 * impersonator of the server find the password. RFC 7677 requires at least 4096.
 */
const ITERATIONS = { least: 4096, max: 1_000_000 };
const LONGEST = 1024;

/** Thrown if the server's message is invalid, requests too much, or does not prove that it knows the password. */
export class ScramFault extends Error {}

export interface Scram {
  first: string;
  /** @param challenge the server's first message. @returns the client's final message. @throws ScramFault */
  answer(challenge: string): Promise<string>;
  /**
   * @param final the server's last message
   * @throws ScramFault if it does not prove that the server knows the password
   */
  verify(final: string): void;
}

const getFields = (message: string): Map<string, string> =>
  new Map(message.split(',').map((field) => [field.slice(0, 1), field.slice(2)]));

/** Applies RFC 4013 as far as NFKC and spaces, which is enough for passwords that people type. */
const prepared = (text: string): string =>
  text.normalize('NFKC').replaceAll(/[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/g, ' ');
const escaped = (user: string): string => user.replaceAll('=', '=3D').replaceAll(',', '=2C');

/** @param nonce only for tests with the examples in the standard */
export function createScram(
  mechanism: ScramMechanism,
  user: string,
  password: string,
  nonce: string = randomBytes(24).toString('base64'),
): Scram {
  const hash = SCRAM_HASHES[mechanism];
  const hmac = (key: Buffer, text: string): Buffer => createHmac(hash, key).update(text).digest();
  const bare = `n=${escaped(prepared(user))},r=${nonce}`;
  let expected: Buffer | null = null;

  return {
    first: `n,,${bare}`,
    async answer(challenge) {
      if (challenge.length > LONGEST) throw new ScramFault('The challenge is too long.');
      const fields = getFields(challenge);
      const theirs = fields.get('r') ?? '';
      const salt = Buffer.from(fields.get('s') ?? '', 'base64');
      const rounds = /^\d{1,9}$/.test(fields.get('i') ?? '') ? Number(fields.get('i')) : NaN;
      if (expected || fields.has('m') || !theirs.startsWith(nonce) || theirs.length === nonce.length)
        throw new ScramFault('The challenge is no answer to what was asked.');
      if (salt.length === 0 || !(rounds >= ITERATIONS.least && rounds <= ITERATIONS.max))
        throw new ScramFault(
          `The server wants a number of rounds outside of ${ITERATIONS.least} to ${ITERATIONS.max}.`,
        );
      const { length } = createHash(hash).digest();
      const salted = await derive(prepared(password), salt, rounds, length, hash);
      const clientKey = hmac(salted, 'Client Key');
      const withoutProof = `c=biws,r=${theirs}`;
      const whole = `${bare},${challenge},${withoutProof}`;
      const signature = hmac(createHash(hash).update(clientKey).digest(), whole);
      expected = hmac(hmac(salted, 'Server Key'), whole);
      const proof = Buffer.from(clientKey.map((byte, n) => byte ^ signature[n]!)).toString('base64');
      return `${withoutProof},p=${proof}`;
    },
    verify(final) {
      const shown = Buffer.from(getFields(final.slice(0, LONGEST)).get('v') ?? '', 'base64');
      if (!expected || shown.length !== expected.length || !timingSafeEqual(shown, expected))
        throw new ScramFault('The server did not prove that it knows the password.');
    },
  };
}
