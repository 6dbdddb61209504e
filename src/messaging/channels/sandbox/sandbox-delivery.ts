/** What delivering a stored message takes: its file, and the receipt for its sender. */
import { Readable } from 'node:stream';
import type { Database } from '../../../db/database.ts';
import { openFile } from './sandbox-file.system-store.ts';
import type { InboxRow } from './sandbox-inbox.system-store.ts';
import { type FileOnItsWay, type StoredSignal, writeSignals } from './sandbox-signal.ts';

/** 32 × 32 pixels of deep sea. */
const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAACAAAAAgCAIAAAD8GO2jAAABjElEQVR42k3C3YYQABCA0bme/3m9JEmSZFVWZVVSWZVVWZUlIiIiIiIiIqKX6m58xxE9d7ANHQMTCxsHRc/f3IaOgYmFjYOiFw63oWNgYmHjoOjFO9vQMTCxsHFQ9NLRNnQMTCxsHBS9fH8bOgYmFjYOil55uA0dAxMLGwdFrz7eho6BiYWNg6LXjrehY2BiYeOg6PVn29AxMLGwcVD04GQbOgYmFjYOit54uQ0dAxMLGwdFb51uQ8fAxMLGQdHDN9vQMTCxsHFQ9PbZNnQMTCxsHBS9+24bOgYmFjYOih6934aOgYmFjYOi9z5sQ8fAxMLGQdEHH7ehY2BiYeOg6MNP29AxMLGwcVD00edt6BiYWNg4KPrkyzZ0DEwsbBwUPf66DR0DEwsbB0WfftuGjoGJhY2Dos+/b0PHwMTCxkHRkx/b0DEwsbBxUPTFz23oGJhY2Dgo+urXNnQMTCxsHBQ9/b0NHQMTCxsHRV//2YaOgYmFjYOib/9uQ8fAxMLGQdGzf9vQMTCxsHHwPwKnjD1TTLarAAAAAElFTkSuQmCC',
  'base64',
);

export const openStoredFile = (db: Database, file: FileOnItsWay): Readable =>
  file.from === 'script' ? Readable.from([PICTURE]) : openFile(db, file.instanceId, file.clientId);

/** "Delivered", as the writer of a message is told it; null where nobody of us wrote it. */
export function receiptOf(row: InboxRow, signals: StoredSignal[]): string | null {
  if (row.sender_id === null) return null;
  const ids = signals.flatMap((signal) => (signal.kind === 'message' ? [signal.externalId] : []));
  const at = new Date();
  return writeSignals(
    ids.map((externalId) => ({
      kind: 'receipt',
      externalId,
      clientId: externalId,
      status: 'delivered',
      error: null,
      at,
    })),
  );
}
