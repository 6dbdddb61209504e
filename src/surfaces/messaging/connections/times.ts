/** How long things may take. Tests shorten them. */
export interface Times {
  /** Opening, but for what waits for a person to pair. */
  openMs: number;
  /** A step of pairing that ran out waits so long for the next. */
  pairingGraceMs: number;
  /** Each connection proves that it hears, every so often (half as often at most), within this. */
  probeEveryMs: number;
  probeMs: number;
  /** Time for running sends before a working connection is closed. */
  drainMs: number;
  closeMs: number;
  logoutMs: number;
  /** A limit of which the channel doesn't say when it ends is tried again after this. */
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
