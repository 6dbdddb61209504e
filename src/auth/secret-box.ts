/**
 * Everything secret that must be read back is sealed here: AES-256-GCM under keys derived from one root secret.
 * A sealed value names its key (`v1.<key id>.<base64url>`) and is bound to `workspace|table|id`, so it can't be
 * moved to another row. What is only compared (API keys, tokens) is hashed instead, never sealed.
 */
import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

export interface SecretBox {
  /** Seals UTF-8 text. `context` must be given again to open it. */
  seal(plain: string, context: string): string;
  /** @throws Error when the value was sealed under another secret or for another context. */
  open(sealed: string, context: string): string;
  /** A 32-byte key for one other purpose (cookie signatures, links that expire …). */
  derive(purpose: string): Buffer;
}

export function createSecretBox(rootSecret: string | Buffer): SecretBox {
  const derive = (purpose: string) => Buffer.from(hkdfSync('sha256', rootSecret, 'fairlead', purpose, 32));
  const key = derive('seal');
  const keyId = createHash('sha256').update(key).digest('hex').slice(0, 8);
  return {
    derive,
    seal(plain, context) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv(ALGORITHM, key, iv).setAAD(Buffer.from(context));
      const body = Buffer.concat([iv, cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()]);
      return `v1.${keyId}.${body.toString('base64url')}`;
    },
    open(sealed, context) {
      const [version, id, body = ''] = sealed.split('.');
      if (version !== 'v1' || id !== keyId) throw new Error(`sealed under another key (${id})`);
      const bytes = Buffer.from(body, 'base64url');
      const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, IV_BYTES), {
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
