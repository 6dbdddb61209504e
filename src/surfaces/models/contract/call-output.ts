/** Interface of what receives the response of a call: an HTTP caller, or a feature that asks a model. */
export interface CallOutput {
  /**
   * Aborts when nobody wants the response any more. Its reason is a Problem if the caller is still there to read it, such as
   * after a key was revoked.
   */
  signal: AbortSignal;
  /** @throws Problem if the caller has lost the right to call */
  open(status: number, headers: Record<string, string | string[]>): Promise<void>;
  /** Resolves once the caller has taken enough, without a promise if that is now; false if the response is over. */
  write(chunk: Uint8Array): boolean | Promise<boolean>;
  /** Ends a complete response. */
  end(): void;
  /** Ends a response that must look incomplete. */
  cut(): void;
}
