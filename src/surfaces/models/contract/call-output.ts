/** Interface of the receiver of a call's response: an HTTP caller, or a feature that asks a model. */
export interface CallOutput {
  /**
   * Aborts when the response is no longer needed. Its reason is a Problem if the caller is still there to read it, such
   * as after a key was revoked.
   */
  signal: AbortSignal;
  /** @throws Problem if the caller has lost the right to call */
  open(status: number, headers: Record<string, string | string[]>): Promise<void>;
  /**
   * Resolves once the caller has read enough, synchronously if that is already the case; false if the response has
   * ended.
   */
  write(chunk: Uint8Array): boolean | Promise<boolean>;
  /** Ends a complete response. */
  end(): void;
  /** Ends a response that must look incomplete. */
  cut(): void;
}
