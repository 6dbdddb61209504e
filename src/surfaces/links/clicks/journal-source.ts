/**
 * A journal as whoever loads it sees it: this process's own, or that of a process that died.
 *
 * Positions are bytes within a segment; (0, 0) is where a journal begins. The database remembers how far a journal is
 * loaded (`journals`), in the transaction that counts the clicks; the journal itself remembers nothing of it.
 */
import type { ClickRecord } from './click-record.ts';

export interface JournalPart {
  clicks: ClickRecord[];
  /** Where to read on. Past what was asked for even if there are no clicks, where something had to be skipped. */
  segment: number;
  position: number;
  /** Nothing more is there, as of now if the journal is live, for ever if it is not. */
  atEnd: boolean;
}

export interface JournalSource {
  /** A UUID: `journals.journal_id`. */
  id: string;
  /** Whether its process still appends: then it has to be asked again. */
  isLive: boolean;
  /**
   * Reads about `mostBytes` from there on: at least one commit where there is one. Of a live journal only what is
   * acknowledged. A journal that was removed meanwhile is at its end.
   */
  read(segment: number, position: number, maxBytes: number): Promise<JournalPart>;
  /**
   * To be called after the commit of a transaction whose position lies in `segment`: all segments before it are
   * removed.
   */
  loadedThrough(segment: number): Promise<void>;
}
