/** A click in the journal, before it is loaded. */

/** UTM parameters in the order of `ClickRecord.utm`. */
export const UTM_PARAMETERS = [
  'utm_source',
  'utm_medium',
  'utm_campaign',
  'utm_term',
  'utm_content',
] as const;

/** Characters that are kept of the URL that a click was redirected to. */
export const MAX_DESTINATION = 500;

export interface ClickRecord {
  /** Milliseconds since 1970. */
  at: number;
  /** Database IDs. */
  workspaceId: string;
  linkId: string;
  /** 64-bit hash of the day's salt, address and user agent; signed when decoded. */
  visitor: bigint;
  isBot: boolean;
  /** ISO 3166-1 alpha-2; null if unknown. */
  country: string | null;
  city: string | null;
  /** At most 512 characters. Device, operating system and browser are derived from it when the click is loaded. */
  userAgent: string;
  /** Host only. */
  referrer: string | null;
  /** Primary language subtag, lower case. */
  language: string | null;
  /** From the visit's query and its destination URL, in the order of UTM_PARAMETERS. */
  utm: (string | null)[];
  /** Null unless the workspace stores IP addresses. */
  address: string | null;
  /** At most MAX_DESTINATION characters. Null if the link has no targeting rules, and for a bot that was not redirected. */
  destinationUrl: string | null;
}

/**
 * A click to append to the journal. `ids` is computed by `clickIds` (click-codec.ts) once per cached route, so that no
 * visit parses UUIDs. Long fields are truncated.
 */
export interface NewClick extends Omit<ClickRecord, 'workspaceId' | 'linkId'> {
  ids: ClickIds;
}

declare const madeByClickIds: unique symbol;

/** Workspace ID and link ID, as bytes. */
export type ClickIds = Int32Array & { [madeByClickIds]: true };

/** Records clicks before they are answered. */
export interface ClickJournal {
  /**
   * Calls `done` when the click survives a crash of the process (CLICK_SYNC=write) or a power failure (fdatasync).
   * Calls it with an error if the click was not recorded: the visit must then not be redirected. Never calls it
   * synchronously.
   */
  append(click: NewClick, done: (error: Error | null) => void): void;
}
