/**
 * Seals secrets that must be read back: AES-256-GCM with keys derived from the root secret. A sealed value names its
 * key (`v1.<key id>.<base64url>`) and is bound to `workspace|table|id`, so it can't be moved to another row. Values
 * that are only compared (API keys, tokens) are hashed instead.
 *
 * During a rotation there are further secrets, which open and verify but never seal or sign.
 */
import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;
const FINGERPRINT_BYTES = 8;

type RootSecret = string | Buffer;

export interface SecretBox {
  /** IDs of the keys that it opens with. It seals with the first, whose ID begins each sealed value. */
  readonly keyIds: readonly [string, ...string[]];
  /** Seals UTF-8 text. Opening it requires the same `context`. */
  seal(plain: string, context: string): string;
  /** @throws Error when the value was sealed under another secret or for another context. */
  open(sealed: string, context: string): string;
  /** A 32-byte key for one other purpose (cookie signatures, links that expire …). */
  derive(purpose: string): Buffer;
  /**
   * Derives the same for each valid secret: the first is the result of `derive`, the others are only for verification.
   */
  deriveAll(purpose: string): [Buffer, ...Buffer[]];
}

const deriveFrom = (rootSecret: RootSecret, purpose: string): Buffer =>
  Buffer.from(hkdfSync('sha256', rootSecret, 'fairlead', purpose, KEY_BYTES));

/**
 * A short name of a root secret, 16 hexadecimal characters, derived for this alone: it may be shown and stored, and
 * reveals nothing about the secret. A backup uses it to name the secret that opens its sealed values.
 */
export const fingerprint = (rootSecret: RootSecret): string =>
  deriveFrom(rootSecret, 'fingerprint').toString('hex', 0, FINGERPRINT_BYTES);

/** The ID of the key that a value is sealed under; null where the text is no sealed value. */
export const getKeyId = (sealed: string): string | null => /^v1\.([0-9a-f]{8})\./.exec(sealed)?.[1] ?? null;

interface SealKey {
  id: string;
  key: Buffer;
}

function sealKeyFor(rootSecret: RootSecret): SealKey {
  const key = deriveFrom(rootSecret, 'seal');
  return { id: createHash('sha256').update(key).digest('hex').slice(0, 8), key };
}

/** @param further opened under as well, as long as a rotation lasts. */
export function createSecretBox(rootSecret: RootSecret, further: readonly RootSecret[] = []): SecretBox {
  const first = sealKeyFor(rootSecret);
  const keys = [first, ...further.map(sealKeyFor)];
  return {
    keyIds: [first.id, ...keys.slice(1).map(({ id }) => id)],
    derive: (purpose) => deriveFrom(rootSecret, purpose),
    deriveAll: (purpose) => [
      deriveFrom(rootSecret, purpose),
      ...further.map((secret) => deriveFrom(secret, purpose)),
    ],
    seal(plain, context) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv(ALGORITHM, first.key, iv).setAAD(Buffer.from(context));
      const body = Buffer.concat([iv, cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()]);
      return `v1.${first.id}.${body.toString('base64url')}`;
    },
    open(sealed, context) {
      const [version, id, body = ''] = sealed.split('.');
      const found = version === 'v1' ? keys.find((key) => key.id === id) : undefined;
      if (!found) throw new Error(`sealed under another key (${id})`);
      const bytes = Buffer.from(body, 'base64url');
      const decipher = createDecipheriv(ALGORITHM, found.key, bytes.subarray(0, IV_BYTES), {
        authTagLength: TAG_BYTES,
      })
        .setAAD(Buffer.from(context))
        .setAuthTag(bytes.subarray(-TAG_BYTES));
      return (
        decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
      );
    },
  };
}
