/** What a message takes along to the server: its words, as others are told them, and its file. */
import { type OutboundMessage } from '../contract/connection.ts';
import { DriverError } from '../contract/driver-error.ts';
import type { InboundChat } from '../contract/signal.ts';
import { saveFile } from './sandbox-file.system-store.ts';
import type { Session } from './sandbox-session.ts';
import type { FileOnItsWay, StoredMessage } from './sandbox-signal.ts';

/**
 * The message as another account is told it. It has the id that its sender chose.
 * @param inChat the group that it is said in; left out, it is direct
 */
export function asInbound(
  { self, context, teller }: Session,
  message: OutboundMessage,
  now: Date,
  inChat?: InboundChat,
): StoredMessage {
  const { clientId, chat, type, content, replyTo } = message;
  const { file } = content;
  const onItsWay: FileOnItsWay | null = file && {
    from: 'sender',
    instanceId: teller.instanceId,
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
    file: onItsWay,
    data: content.data,
    subject: message.subject,
    replyTo: quoted ? { externalId: quoted } : null,
    mentions: [...message.mentions],
    at: now,
  };
}

/**
 * Brings the file's bytes to the server: all of them, whoever they are for.
 * @param isWanted whether an account is to have them
 * @returns how many
 */
export async function bringFile(
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
      if (signal.aborted) throw new DriverError('lost', 'aborted', 'It was given up.');
      size += (chunk as Buffer).length;
      yield chunk as Buffer;
    }
  };
  let size = 0;
  try {
    if (await isWanted()) await saveFile(db, session.teller, message.clientId, bytes());
    else for await (const chunk of bytes()) void chunk;
  } finally {
    source.destroy();
  }
  return size;
}
