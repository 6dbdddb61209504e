/**
 * Signing secrets of senders. They are sealed at rest and bound to their row. In plaintext, they exist only in the
 * response that creates them and during verification.
 */
import { randomBytes, randomInt } from 'node:crypto';
import type { SecretBox } from '../../../../platform/crypto/secret-box.ts';
import type { FieldError } from '../../../../platform/http/problem.ts';
import { generateSecret } from '../../../../core/webhooks/delivery/webhook-secret.ts';
import { parseSecret } from '../../../../platform/crypto/webhook-signature.ts';
import type { SCHEMES } from './endpoint-auth.schema.ts';

export type Scheme = (typeof SCHEMES)[number];

interface RowId {
  workspace_id: string;
  id: string;
}

const MADE_LENGTH = 40;
const STRIPE_LENGTH = 32;
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const SLACK_BYTES = 16;

export const endpointSecretContext = (row: RowId): string =>
  `${row.workspace_id}|publishing_endpoints|${row.id}`;

export const sealEndpointSecret = (secrets: SecretBox, row: RowId, secret: string): string =>
  secrets.seal(secret, endpointSecretContext(row));

export const openEndpointSecret = (secrets: SecretBox, row: RowId, sealed: string): string =>
  secrets.open(sealed, endpointSecretContext(row));

const randomText = (length: number): string =>
  Array.from({ length }, () => BASE62[randomInt(BASE62.length)]).join('');

/** Generates a secret in the usual format of the scheme. */
export function generateEndpointSecret(scheme: Scheme): string {
  if (scheme === 'standard_webhooks') return generateSecret();
  if (scheme === 'slack') return randomBytes(SLACK_BYTES).toString('hex');
  return scheme === 'stripe' ? `whsec_${randomText(STRIPE_LENGTH)}` : randomText(MADE_LENGTH);
}

const VISIBLE = /^[\x21-\x7e]+$/;
const INVISIBLE = /[\s\p{C}]/gu;
const MIN_VISIBLE = 8;

/** Validates a secret supplied by a caller. The error never contains the secret. */
export function validateSecret(scheme: Scheme, secret: string, pointer: string): FieldError | null {
  if (scheme === 'standard_webhooks' && !parseSecret(secret))
    return {
      pointer,
      code: 'invalid_secret',
      detail: 'must be whsec_ followed by 24 to 64 base64-encoded bytes (Standard Webhooks)',
    };
  if (scheme === 'stripe' && !secret.startsWith('whsec_'))
    return { pointer, code: 'invalid_secret', detail: 'must start with whsec_, as shown by Stripe' };
  if ((scheme === 'stripe' || scheme === 'slack') && !VISIBLE.test(secret))
    return { pointer, code: 'invalid_secret', detail: 'must be printable ASCII without spaces' };
  if (Array.from(secret.replace(INVISIBLE, '')).length < MIN_VISIBLE)
    return {
      pointer,
      code: 'invalid_secret',
      detail: `must have at least ${MIN_VISIBLE} non-space characters`,
    };
  return null;
}
