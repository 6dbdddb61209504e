/** What delivering a stored message takes: its file, and the receipt for its sender. */
import { Readable } from 'node:stream';
import type { Database } from '../../platform/db/database.ts';
import type { DriverContext } from '../contract/driver.ts';
import type { GroupSignal, Signal } from '../contract/signal.ts';
import { readPicture } from './groups/group.system-store.ts';
import { openFile } from './sandbox-file.system-store.ts';
import type { InboxRow } from './sandbox-inbox.system-store.ts';
import { PICTURE } from './sandbox-picture.ts';
import { type FileOnItsWay, type StoredGroup, type StoredSignal, writeSignals } from './sandbox-signal.ts';

const openStoredFile = (db: Database, file: FileOnItsWay): Readable =>
  file.from === 'script' ? Readable.from([PICTURE]) : openFile(db, file.instanceId, file.clientId);

interface Receiver {
  readonly workspaceId: string;
  receiveFile: DriverContext['receiveFile'];
}

async function openGroupSignal(
  db: Database,
  { workspaceId, receiveFile }: Receiver,
  { about, ...signal }: StoredGroup,
): Promise<GroupSignal> {
  if (!about) return signal;
  const { picture, ...words } = about;
  if (!picture) return { ...signal, about: picture === null ? { ...words, picture } : words };
  const bytes = await readPicture(db, workspaceId, picture.id);
  const received = bytes && (await receiveFile(Readable.from([bytes]), { fileName: null, mimeType: null }));
  return { ...signal, about: { ...words, picture: received && { received } } };
}

/** A stored signal as it is told: with its file received. */
export async function openSignal(db: Database, receiver: Receiver, signal: StoredSignal): Promise<Signal> {
  if (signal.kind === 'group') return openGroupSignal(db, receiver, signal);
  if (signal.kind !== 'message') return signal;
  const { file } = signal;
  if (file === null) return { ...signal, file: null };
  const about = { fileName: file.fileName, mimeType: file.mimeType };
  return { ...signal, file: { received: await receiver.receiveFile(openStoredFile(db, file), about) } };
}

/** "Delivered", as the writer of a message is told it; null where nobody of us wrote it. */
export function getReceipt(row: InboxRow, signals: StoredSignal[]): string | null {
  if (row.sender_id === null) return null;
  const at = new Date();
  return writeSignals(
    signals.flatMap((signal) =>
      signal.kind === 'message'
        ? {
            kind: 'receipt',
            externalId: signal.externalId,
            clientId: signal.externalId,
            status: 'delivered',
            error: null,
            at,
            // Asked for where nobody else is in it.
            ...(signal.chat.kind === 'group' ? { ofAll: true } : {}),
          }
        : [],
    ),
  );
}
