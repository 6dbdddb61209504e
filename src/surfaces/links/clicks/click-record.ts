/** A click as the journal keeps it, before it is loaded. */

/** UTM parameters in the order in which records have them. */
export const UTM_PARAMETERS = [
  'utm_source',
  'utm_medium',
  'utm_campaign',
  'utm_term',
  'utm_content',
] as const;

export interface ClickRecord {
  /** Milliseconds since 1970. */
  at: number;
  /** As the database has them. */
  workspaceId: string;
  linkId: string;
  /** 64 bits of a hash over the day's salt, address and user agent; signed where it is read. */
  visitor: bigint;
  isBot: boolean;
  /** ISO 3166-1 alpha-2; null where it is not known. */
  country: string | null;
  city: string | null;
  /** At most 512 characters. Device, system and browser are read from it when the click is loaded. */
  userAgent: string;
  /** Host alone. */
  referrer: string | null;
  /** Primary subtag, lower case. */
  language: string | null;
  /** Of the visit's own query and of the target that it was sent to, in the order of UTM_PARAMETERS. */
  utm: (string | null)[];
  /** Null unless the workspace asks for it. */
  address: string | null;
}

/**
 * A click on its way into the journal. `ids` is made by `clickIds` (click-codec.ts) once for each route that is kept in
 * memory, so that no visit parses UUIDs. Fields that are too long are cut.
 */
export interface NewClick extends Omit<ClickRecord, 'workspaceId' | 'linkId'> {
  ids: ClickIds;
}

declare const madeByClickIds: unique symbol;

/** Workspace and link, as bytes. */
export type ClickIds = Int32Array & { [madeByClickIds]: true };

/** Where clicks go before they are answered. */
export interface ClickJournal {
  /**
   * Calls `done` once the click survives a kill of the process (CLICK_SYNC=write) or a power failure (fdatasync); with
   * an error where it does not: then the visit must not be answered with a redirect. Never calls it before it returns.
   */
  append(click: NewClick, done: (error: Error | null) => void): void;
}
