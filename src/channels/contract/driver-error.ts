/** How a driver says that something can't be done, and whether trying again is any use. */

export class InvalidAddressError extends Error {
  readonly pointer: string;

  /** @param pointer for `ownAddress`: where it came from, `/name` or `/settings/…` */
  constructor(message: string, pointer = '') {
    super(message);
    this.pointer = pointer;
  }
}

/**
 * Why a driver could not complete an operation.
 * - `refused`: credentials are wrong, or the account is closed or logged out: retrying is useless until somebody acts.
 * - `lost`: the server is unreachable or the connection is gone: retried with increasing delays.
 * - `restricted`: the channel limits the account until `until`.
 * - `rejected`: this message or call is rejected permanently.
 * - `busy`: this message or call is rejected temporarily; `retryAfterMs` if the channel says so.
 * - `unknown`: it may or may not have been accepted.
 */
export type DriverErrorKind = 'refused' | 'lost' | 'restricted' | 'rejected' | 'busy' | 'unknown';

export class DriverError extends Error {
  readonly kind: DriverErrorKind;
  /** Stable snake_case, shown as `error.code`: `recipient_unknown`, `authentication_failed`, `too_large`. */
  readonly code: string;
  readonly retryAfterMs: number | null;
  readonly until: Date | null;

  /** @param detail for people; never a credential. */
  constructor(
    kind: DriverErrorKind,
    code: string,
    detail: string,
    options: { retryAfterMs?: number; until?: Date; cause?: unknown } = {},
  ) {
    super(detail, { cause: options.cause });
    this.kind = kind;
    this.code = code;
    this.retryAfterMs = options.retryAfterMs ?? null;
    this.until = options.until ?? null;
  }
}
