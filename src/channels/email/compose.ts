/**
 * Composes a mail from a message. Its MIME source is a stream that reads files while it is sent. Callers can't inject
 * headers: line breaks and controls are removed, and names are encoded.
 */
import type { Readable } from 'node:stream';
import MailComposer from 'nodemailer/lib/mail-composer';
import { type OutboundFile, type OutboundMessage } from '../contract/connection.ts';
import { DriverError } from '../contract/driver-error.ts';
import { getMessageId, getRoot } from './message-id.ts';
import type { EmailSettings } from './settings.ts';
import type { Envelope } from './smtp-client.ts';

/** Maximum length of a subject made from the text. */
const SUBJECT_CHARACTERS = 78;
/** Growth of a file in Base64 with line breaks. */
const GROWTH = 1.38;
const HEADERS_BYTES = 8192;

export interface Composed {
  messageId: string;
  envelope: Envelope;
  source: Readable;
}

const oneLine = (text: string): string => text.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim();

/** Keeps the thread's subject, by which many mail programs also group mails. */
const answerTo = ({ chat, clientId }: OutboundMessage): string => {
  const title = oneLine(chat.title ?? '');
  return title === '' || chat.key === clientId ? title : `Re: ${title}`;
};

/**
 * Returns the subject, or else the first line of the text, because a mail without a subject is often treated as spam.
 */
export const getSubject = (message: OutboundMessage): string => {
  const { subject, content } = message;
  return oneLine(subject ?? '') || answerTo(message) || firstLine(content) || '(no subject)';
};

const firstLine = (content: OutboundMessage['content']): string =>
  Array.from(oneLine(content.text?.trimStart().split('\n')[0] ?? ''))
    .slice(0, SUBJECT_CHARACTERS)
    .join('') || oneLine(content.file?.fileName ?? '');

/** Returns In-Reply-To and References, which keep the mail in its thread. */
export function getThread(
  message: OutboundMessage,
  ownAddress: string,
): { inReplyTo: string | null; references: string[] } {
  const { replyTo, chat } = message;
  // The first mail of a thread is its own root, which it can't reference.
  const key = getRoot(chat.key, chat.address, ownAddress);
  const root = key === null || chat.key === message.clientId ? [] : [key];
  const before = message.references.length > 0 ? message.references : root;
  const parent =
    replyTo?.externalId ??
    (replyTo?.clientId ? getMessageId(replyTo.clientId, ownAddress) : null) ??
    before.at(-1) ??
    null;
  const references = [...new Set([...root, ...before, ...(parent === null ? [] : [parent])])];
  return { inReplyTo: parent, references };
}

const bracketed = (id: string): string => `<${id.replaceAll(/[<>\s]/g, '')}>`;

/** Opens a file. One that can't be read now may be available later. */
async function opened(file: OutboundFile): Promise<Readable> {
  try {
    return await file.open();
  } catch (error) {
    throw new DriverError('busy', 'file_unavailable', 'The file could not be read.', { cause: error });
  }
}

export async function compose(message: OutboundMessage, settings: EmailSettings): Promise<Composed> {
  const { content, chat } = message;
  const messageId = getMessageId(message.clientId, settings.address);
  const { inReplyTo, references } = getThread(message, settings.address);
  const composer = new MailComposer({
    from: { name: oneLine(settings.displayName ?? ''), address: settings.address },
    to: { name: '', address: chat.address },
    messageId: bracketed(messageId),
    subject: getSubject(message),
    text: content.text ?? '',
    inReplyTo: inReplyTo === null ? undefined : bracketed(inReplyTo),
    references: references.map(bracketed),
    headers: {
      // Asks Exchange not to send out-of-office replies. It doesn't mark the mail as automatic.
      'X-Auto-Response-Suppress': 'OOF, AutoReply',
      // RFC 3834, section 5. Responders don't reply to mail that has it.
      ...(message.automatic && {
        'Auto-Submitted': inReplyTo === null ? 'auto-generated' : 'auto-replied',
      }),
    },
    attachments: content.file
      ? [
          {
            filename: oneLine(content.file.fileName ?? 'file'),
            contentType: content.file.mimeType,
            content: await opened(content.file),
          },
        ]
      : [],
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const textBytes = Buffer.byteLength(content.text ?? '') * 3;
  return {
    messageId,
    envelope: {
      from: settings.address,
      to: [chat.address],
      size: Math.ceil((content.file?.size ?? 0) * GROWTH) + textBytes + HEADERS_BYTES,
    },
    source: composer.compile().createReadStream(),
  };
}
