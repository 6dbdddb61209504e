/**
 * The journal of model calls of this process: a call is in it before anything is sent to a provider, and its result before
 * the response ends.
 *
 * The payload of a frame is a sequence of records, each of which is its length (4 bytes, little-endian) and JSON in UTF-8.
 */
import { join } from 'node:path';
import type { Registry } from 'prom-client';
import { ConfigError } from '../../../platform/config/config.ts';
import type { Db } from '../../../platform/db/database.ts';
import { assertOwnJournals, claimJournals } from '../../../platform/journal/journal-database.ts';
import {
  type JournalKind,
  openProcessJournal,
  type ProcessJournal,
} from '../../../platform/journal/journal.ts';
import { parseOwnJson } from '../../../platform/json/own-json.ts';
import type { Log } from '../../../platform/logging/log.ts';
import type { CallRow } from './call-record.ts';
import type { Reservation } from './completion.store.ts';

export interface OpenedRecord {
  kind: 'opened';
  /** Milliseconds since 1970. */
  at: number;
  workspaceId: string;
  id: string;
  actor: string;
  operation: string;
  model: string;
  route: string | null;
  reservations: Reservation[];
}

export interface EndedRecord {
  kind: 'ended';
  at: number;
  workspaceId: string;
  row: CallRow;
}

export type CallRecord = OpenedRecord | EndedRecord;

const LENGTH_BYTES = 4;
/** Maximum age in milliseconds of data that survives the death of the process but not a power failure. */
const SYNC_EVERY_MS = 500;

/** Records are appended as JSON. */
export const MODEL_CALLS: JournalKind<string, CallRecord> = {
  name: 'model call journal',
  metric: 'fairlead_model_call_journal',
  records: 'records',
  whileFailed: 'Calls are recorded in the database meanwhile.',
  // A UTF-16 unit takes at most three bytes.
  maxBytes: ({ length }) => LENGTH_BYTES + 3 * length,
  encode(json, { bytes, view }, start) {
    const length = bytes.write(json, start + LENGTH_BYTES);
    view.setUint32(start, length, true);
    return start + LENGTH_BYTES + length;
  },
  decode(payload) {
    const records: CallRecord[] = [];
    for (let at = 0; at < payload.length;) {
      const from = at + LENGTH_BYTES;
      at = from + payload.readUInt32LE(at);
      if (at > payload.length) throw new RangeError('Record of a model call is truncated');
      records.push(parseOwnJson<CallRecord>(payload.toString('utf8', from, at)));
    }
    return records;
  },
};

export type CallJournal = ProcessJournal<string, CallRecord>;

/** Returns the directory of all journals of model calls. */
export const callJournalsFolder = (dataDir: string): string => join(dataDir, 'model-calls');

/**
 * Opens a new journal for this process.
 * @throws ForeignJournalsError
 * @throws ConfigError if DATA_DIR is not writable
 */
export async function openCallJournal(deps: {
  dataDir: string;
  db: Db;
  registry: Registry;
  log: Pick<Log, 'warn' | 'error'>;
}): Promise<CallJournal> {
  const { dataDir, db, registry, log } = deps;
  const root = callJournalsFolder(dataDir);
  const isAssigned = await assertOwnJournals(db, root, 'calls');
  try {
    const options = { root, sync: 'write', syncEveryMs: SYNC_EVERY_MS, log, registry } as const;
    const journal = await openProcessJournal(MODEL_CALLS, options);
    if (!isAssigned) await claimJournals(db, root);
    return journal;
  } catch (error) {
    throw new ConfigError(
      `DATA_DIR (${dataDir}) is not writable, but model calls are recorded there: ${(error as Error).message}`,
    );
  }
}
