/** What callers were answered while all surfaces were under load: what must be found again afterwards. */

/** When something was asked for, in ms since 1970: by the phase in which it was. */
export type Planned = Map<string, number>;

export interface Phase {
  /** Messages by ID, publications by ID, changes by the text that they made. */
  messages: Planned;
  publications: Planned;
  changes: Planned;
}

export interface Ledger {
  /** Visits that were answered with 302. */
  redirects: number;
  /** Reads that were answered 503, and asked for again. */
  refused: number;
  phases: Map<string, Phase>;
  /** What came to the receiver: webhook's path → ID of the event → when first, in ms since 1970. */
  arrived: Map<string, Map<string, number>>;
  /** Requests at the receiver that came again. */
  doubles: number;
  /** Sequence of each event that the open stream told → when. */
  streamed: Map<number, number>;
  /** What the stream did that it must not. */
  streamFaults: string[];
}

export const newLedger = (): Ledger => ({
  redirects: 0,
  refused: 0,
  phases: new Map(),
  arrived: new Map(),
  doubles: 0,
  streamed: new Map(),
  streamFaults: [],
});

export function getPhase({ phases }: Ledger, name: string): Phase {
  let phase = phases.get(name);
  if (!phase)
    phases.set(name, (phase = { messages: new Map(), publications: new Map(), changes: new Map() }));
  return phase;
}

/** Of all phases. */
export const getAll = ({ phases }: Ledger, what: keyof Phase): Planned =>
  new Map([...phases.values()].flatMap((phase) => [...phase[what]]));
