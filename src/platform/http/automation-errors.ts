/** The part of the error catalog (errors.ts) that only automation returns. */
import { type ErrorKind, kind } from './error-kind.ts';

export const AUTOMATION_ERRORS = {
  signature_invalid: kind(
    401,
    'Invalid signature',
    'The request is not signed with the scheme and secret of the publishing endpoint. `detail` names the header. Sign the raw body.',
  ),
  signature_expired: kind(
    401,
    'Signature expired',
    "The signature is valid, but its timestamp differs from the server's time by more than the endpoint's `tolerance_seconds`. Sign each request again, and check your clock.",
  ),
  wrong_publishing_auth: kind(
    422,
    'Wrong authentication type',
    'This publishing endpoint does not accept API keys. `auth` shows how senders authenticate, and `url` where they post.',
  ),
} as const satisfies Record<string, ErrorKind>;
