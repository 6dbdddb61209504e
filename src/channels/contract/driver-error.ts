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
 * Why a driver could not do what it was asked.
 * - `refused`: credentials are wrong, the account is closed or logged out: trying again is no use before somebody acts.
 * - `lost`: the server can't be reached or the connection is gone: tried again with growing waits.
 * - `restricted`: the channel limits the account for a time (`until`).
 * - `rejected`: this message or call was refused for good.
 * - `busy`: this message or call was refused for now; `retryAfterMs` where the channel says.
 * - `unknown`: it may have been taken, or not.
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
