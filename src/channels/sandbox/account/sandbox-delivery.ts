/** Loads the files of stored signals, and creates delivery receipts for their senders. */
import { Readable } from 'node:stream';
import type { Database } from '../../../platform/db/database.ts';
import type { DriverContext } from '../../contract/driver.ts';
import type { GroupSignal, Signal } from '../../contract/signal.ts';
import { readPicture } from './group.system-store.ts';
import { openFile } from './sandbox-file.system-store.ts';
import type { InboxRow } from './sandbox-inbox.system-store.ts';
import { PICTURE } from './sandbox-picture.ts';
import { type FileInTransit, type StoredGroup, type StoredSignal, writeSignals } from './sandbox-signal.ts';

const openStoredFile = (db: Database, file: FileInTransit): Readable =>
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
  const { picture, ...text } = about;
  if (!picture) return { ...signal, about: picture === null ? { ...text, picture } : text };
  const bytes = await readPicture(db, workspaceId, picture.id);
  const received = bytes && (await receiveFile(Readable.from([bytes]), { fileName: null, mimeType: null }));
  return { ...signal, about: { ...text, picture: received && { received } } };
}

/** Converts a stored signal to the signal that is emitted, with its file received. */
export async function openSignal(db: Database, receiver: Receiver, signal: StoredSignal): Promise<Signal> {
  if (signal.kind === 'group') return openGroupSignal(db, receiver, signal);
  if (signal.kind !== 'message') return signal;
  const { file } = signal;
  if (file === null) return { ...signal, file: null };
  const about = { fileName: file.fileName, mimeType: file.mimeType };
  return { ...signal, file: { received: await receiver.receiveFile(openStoredFile(db, file), about) } };
}

/** Creates the delivery receipt for the sender of a message; null if the sender is not an account. */
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
            // Only requested when the recipient is the only other member.
            ...(signal.chat.kind === 'group' ? { ofAll: true } : {}),
          }
        : [],
    ),
  );
}
