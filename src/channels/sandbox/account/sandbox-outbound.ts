/** Converts an outbound message to the form that the server stores: the recipients' inbound message, and its file. */
import { type OutboundMessage } from '../../contract/connection.ts';
import { DriverError } from '../../contract/driver-error.ts';
import type { InboundChat } from '../../contract/signal.ts';
import { saveFile } from './sandbox-file.system-store.ts';
import type { Session } from './sandbox-session.ts';
import type { FileInTransit, StoredMessage } from './sandbox-signal.ts';

/**
 * Converts the message to the inbound message of its recipients, with the ID that the sender chose.
 * @param inChat the group; omitted for direct messages
 */
export function asInbound(
  { self, context, sender }: Session,
  message: OutboundMessage,
  now: Date,
  inChat?: InboundChat,
): StoredMessage {
  const { clientId, chat, type, content, replyTo } = message;
  const { file } = content;
  const inTransit: FileInTransit | null = file && {
    from: 'sender',
    instanceId: sender.instanceId,
    clientId,
    fileName: file.fileName,
    mimeType: file.mimeType,
  };
  const quoted = replyTo && (replyTo.externalId ?? replyTo.clientId);
  return {
    kind: 'message',
    externalId: clientId,
    chat: inChat ?? { kind: 'direct', key: self, address: self, title: context.name },
    from: self,
    fromName: context.name,
    fromMe: false,
    to: chat.address,
    type,
    text: content.text,
    file: inTransit,
    data: content.data,
    subject: message.subject,
    replyTo: quoted ? { externalId: quoted } : null,
    mentions: [...message.mentions],
    at: now,
  };
}

/**
 * Uploads the file to the server, or reads and discards it if no account receives it.
 * @param isWanted returns whether an account receives the file
 * @returns size in bytes
 */
export async function uploadFile(
  session: Session,
  message: OutboundMessage,
  isWanted: () => Promise<boolean> | boolean,
  signal: AbortSignal,
): Promise<number> {
  const { file } = message.content;
  if (!file) return 0;
  const { db } = session.server;
  const source = await file.open();
  const bytes = async function* (): AsyncGenerator<Buffer> {
    for await (const chunk of source) {
      if (signal.aborted) throw new DriverError('lost', 'aborted', 'The operation was aborted.');
      size += (chunk as Buffer).length;
      yield chunk as Buffer;
    }
  };
  let size = 0;
  try {
    if (await isWanted()) await saveFile(db, session.sender, message.clientId, bytes());
    else for await (const chunk of bytes()) void chunk;
  } finally {
    source.destroy();
  }
  return size;
}
