/** Time limits of connections. Tests shorten them. */
export interface Times {
  /** Maximum time to open, not counting the wait for a person to pair. */
  openMs: number;
  /** How long an expired pairing step waits for the next one. */
  pairingGraceMs: number;
  /**
   * Maximum interval between proofs that a connection receives (half of it at least), and the time limit of a proof.
   */
  probeEveryMs: number;
  probeMs: number;
  /** Time for running sends before a working connection is closed. */
  drainMs: number;
  closeMs: number;
  logoutMs: number;
  /** Delay after which a limit without an end time is tried again. */
  restrictedMs: number;
}

export const TIMES: Times = {
  openMs: 60_000,
  pairingGraceMs: 30_000,
  probeEveryMs: 30_000,
  probeMs: 10_000,
  drainMs: 3_000,
  closeMs: 2_000,
  logoutMs: 10_000,
  restrictedMs: 15 * 60_000,
};
