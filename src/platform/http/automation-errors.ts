/** The part of the error catalogue (errors.ts) that automation alone answers. */
import { type ErrorKind, kind } from './error-kind.ts';

export const AUTOMATION_ERRORS = {
  signature_invalid: kind(
    401,
    'Signature not valid',
    'The publishing endpoint takes signed requests alone, and this one is not signed as its scheme says, or not with its secret. `detail` names the header. Sign the bytes of the body as they are sent.',
  ),
  signature_expired: kind(
    401,
    'Signature too old',
    "The signature is right, but was made too long ago, or in the future: by more than the endpoint's `tolerance_seconds`. Sign each request anew, and set the clock.",
  ),
  wrong_publishing_auth: kind(
    422,
    'Published to in another way',
    'This publishing endpoint does not take API keys: its `auth` says how a sender proves itself, and its `url` where it posts to.',
  ),
} as const satisfies Record<string, ErrorKind>;
