/** The click journal of a process: clicks are in a file before they are answered. */
import { join } from 'node:path';
import {
  type JournalKind,
  type JournalOptions,
  openProcessJournal,
  type ProcessJournal,
} from '../../../platform/journal/journal.ts';
import { decodeClicks, encodeClick, MAX_RECORD_BYTES } from './click-codec.ts';
import type { ClickRecord, NewClick } from './click-record.ts';

export const CLICKS: JournalKind<NewClick, ClickRecord> = {
  name: 'click journal',
  metric: 'fairlead_click_journal',
  records: 'clicks',
  whileFailed: 'Their redirects are answered with 503.',
  maxBytes: () => MAX_RECORD_BYTES,
  encode: encodeClick,
  decode: decodeClicks,
};

export type ProcessClickJournal = ProcessJournal<NewClick, ClickRecord>;

/** Returns the directory of all click journals. */
export const journalsFolder = (dataDir: string): string => join(dataDir, 'clicks');

/**
 * Opens a new click journal for this process.
 * @throws if its directory cannot be created. A disk that fills up later is reported by `state` and to appends.
 */
export const createClickJournal = ({
  dataDir,
  ...options
}: Omit<JournalOptions, 'root'> & { dataDir: string }): Promise<ProcessClickJournal> =>
  openProcessJournal(CLICKS, { ...options, root: journalsFolder(dataDir) });
