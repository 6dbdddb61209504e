/**
 * A journal as the loader reads it: the process's own, or one of a process that has ended.
 *
 * Positions are byte offsets in a segment; (0, 0) is the beginning of the journal. The database stores how far a
 * journal is loaded (`journals`), in the transaction that stores the records. The journal itself does not store it.
 */
export interface JournalPart<Kept> {
  records: Kept[];
  /** Position to continue from. It can be ahead of the requested position without records if damage was skipped. */
  segment: number;
  position: number;
  /** Whether the end is reached: for now if the journal is live, else permanently. */
  atEnd: boolean;
}

export interface JournalSource<Kept> {
  /** A UUID: `journals.journal_id`. */
  id: string;
  /** Whether a process still appends, so that reading continues later. */
  isLive: boolean;
  /**
   * Reads about `maxBytes` from a position, and at least one commit if there is any. Of a live journal, only
   * acknowledged records are read. A journal that was removed meanwhile is reported as at its end.
   */
  read(segment: number, position: number, maxBytes: number): Promise<JournalPart<Kept>>;
  /**
   * Removes all segments before `segment`. Call after the transaction that saved a position in `segment` is committed.
   */
  loadedThrough(segment: number): Promise<void>;
}
