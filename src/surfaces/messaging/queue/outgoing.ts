/**
 * Converts claimed messages for drivers: with files that can be opened, and the channel's IDs of replies and threads.
 */
import { Readable } from 'node:stream';
import type { Database } from '../../../platform/db/database.ts';
import { publicId } from '../../../core/vocabulary/ids.ts';
import {
  can,
  isMediaType,
  type MediaType,
  type MessageType,
} from '../../../channels/contract/capabilities.ts';
import type {
  ChatRef,
  MessageRef,
  OutboundFile,
  OutboundMessage,
} from '../../../channels/contract/connection.ts';
import type { Json } from '../../../channels/contract/json.ts';
import type { ConnectionLease } from '../connections/connection-lease.ts';
import type { MediaFiles } from '../media/media-files.ts';
import type { MediaUrls } from '../media/media-url.ts';
import { toText } from '../records/message-content.ts';
import type { Claimed } from './claim.system-store.ts';
import * as store from './outgoing.system-store.ts';
import { currentTime } from '../../../platform/time/clock.ts';

const MAX_REFERENCES = 20;

export interface Given {
  row: Claimed;
  held: ConnectionLease;
}

/** The objects that claimed rows refer to. */
export interface Referred {
  messages: Map<string, store.ReferredMessage>;
  files: Map<string, store.ReferredFile>;
  references: Map<string, string[]>;
}

/** Returns the file to set as a group's picture. */
function getPictureId({ payload }: Claimed): string | null {
  const task = payload?.group;
  return task?.do === 'update' ? (task.picture_id ?? null) : null;
}

/** The file of a message does not exist and never will. */
export class FileMissingError extends Error {}

export async function loadReferred(db: Database, given: readonly Given[]): Promise<Referred> {
  const sends = given.filter(({ row }) => row.action === 'send' && row.message !== null);
  const keys = (column: 'reply_to' | 'media_id') =>
    sends.flatMap(({ row }) => {
      const id = row.message![column];
      return id === null ? [] : [{ workspace_id: row.workspace_id, id }];
    });
  const threads = sends
    .filter(({ held, row }) => row.chat_id !== null && can(held.capabilities, 'threads'))
    .map(({ row }) => ({ workspace_id: row.workspace_id, id: row.id, chat_id: row.chat_id! }));
  // Sequential, because database connections are scarce.
  const messages = await store.readReferredMessages(db, keys('reply_to'));
  const pictures = given.flatMap(({ row }) => {
    const id = getPictureId(row);
    return id === null ? [] : [{ workspace_id: row.workspace_id, id }];
  });
  const files = await store.readReferredFiles(db, [...keys('media_id'), ...pictures]);
  const references = await store.readReferences(db, threads, MAX_REFERENCES);
  return { messages, files, references };
}

/** Copies each piece: it is valid only until the next one is requested, and a stream reads ahead. */
async function* toBytes(
  files: MediaFiles,
  workspaceId: string,
  sha256: Buffer,
  length: number,
): AsyncGenerator<Buffer> {
  const bytes = await files.read(workspaceId, sha256, { start: 0, length });
  if (!bytes) throw new FileMissingError('the file was deleted');
  try {
    for await (const piece of bytes) yield Buffer.from(piece);
  } finally {
    await bytes.close();
  }
}

export interface FileAccess {
  files: MediaFiles;
  urls: Pick<MediaUrls, 'sign'>;
}

/** @throws FileGone */
function openable(
  held: ConnectionLease,
  file: store.ReferredFile | undefined,
  type: MediaType,
  { files, urls }: FileAccess,
): OutboundFile {
  if (file?.state !== 'ready') throw new FileMissingError('the file is not there');
  const { id, sha256, size, mime_type: mimeType } = file;
  return {
    mimeType: mimeType!,
    size: size!,
    fileName: file.file_name,
    type,
    open: async () =>
      Readable.from(toBytes(files, held.workspaceId, sha256!, size!), {
        objectMode: false,
        signal: held.signal,
      }),
    url: urls.sign(held.workspaceId, id, currentTime()).url,
  };
}

function getFile({ row, held }: Given, referred: Referred, access: FileAccess): OutboundFile | null {
  const message = row.message!;
  if (!isMediaType(message.type)) return null;
  const file = message.media_id === null ? undefined : referred.files.get(message.media_id);
  const { file_name: fileName } = message.content as { file_name?: string | null };
  const opened = openable(held, file, message.type, access);
  return { ...opened, fileName: fileName ?? opened.fileName };
}

/** Returns the picture to set for a group. @throws FileGone */
export function outgoingPicture(
  { row, held }: Given,
  referred: Referred,
  access: FileAccess,
): OutboundFile | null {
  const id = getPictureId(row);
  return id === null ? null : openable(held, referred.files.get(id), 'image', access);
}

/** Returns the channel's reference to a message. */
export const getRef = (message: store.ReferredMessage): MessageRef => ({
  clientId:
    message.direction === 'outbound' && message.source !== 'channel' ? publicId('message', message.id) : null,
  externalId: message.external_id,
  fromMe: message.direction === 'outbound',
  author: message.from_address,
});

/** @throws FileGone */
export function outgoing(given: Given, referred: Referred, access: FileAccess): OutboundMessage {
  const { row } = given;
  const message = row.message!;
  const replied = message.reply_to === null ? undefined : referred.messages.get(message.reply_to);
  const foreign =
    message.reply_to_external_id === null
      ? null
      : { clientId: null, externalId: message.reply_to_external_id, fromMe: false, author: null };
  const file = getFile(given, referred, access);
  const isPlain = message.type === 'text' || file !== null;
  return {
    id: message.id,
    clientId: publicId('message', message.id),
    chat: row.chat as ChatRef,
    type: message.type as MessageType,
    content: {
      text: toText(message.type, message.content),
      file,
      data: isPlain ? null : (message.content as Json),
    },
    subject: message.subject,
    threadId: message.thread_id,
    replyTo: replied ? getRef(replied) : foreign,
    references: referred.references.get(row.id) ?? [],
    mentions: message.mentions,
    automatic: message.source === 'rule',
    attempt: row.attempts - 1,
  };
}
