/** Errors that drivers throw. Their kind determines whether and when to retry. */

export class InvalidAddressError extends Error {
  readonly pointer: string;

  /**
   * @param pointer for `ownAddress`: JSON pointer to the input that the address was read from, `/name` or `/settings/…`
   */
  constructor(message: string, pointer = '') {
    super(message);
    this.pointer = pointer;
  }
}

/**
 * Why a driver could not complete an operation.
 * - `refused`: credentials are wrong, or the account is closed or logged out. Not retried until a user acts.
 * - `lost`: the server is unreachable or the connection is gone. Retried with increasing delays.
 * - `restricted`: the channel restricts the account until `until`.
 * - `rejected`: this message or call is rejected permanently.
 * - `busy`: this message or call is rejected temporarily. `retryAfterMs` is set if the channel names a delay.
 * - `unknown`: the message or call may or may not have been accepted.
 */
export type DriverErrorKind = 'refused' | 'lost' | 'restricted' | 'rejected' | 'busy' | 'unknown';

export class DriverError extends Error {
  readonly kind: DriverErrorKind;
  /** Stable snake_case code, shown as `error.code`: `recipient_unknown`, `authentication_failed`, `too_large`. */
  readonly code: string;
  readonly retryAfterMs: number | null;
  readonly until: Date | null;

  /** @param detail shown to users; never contains a credential */
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
