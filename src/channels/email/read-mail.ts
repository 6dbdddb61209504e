/**
 * Converts a mail in a folder to signals: a message and its files, the status of a sent mail, or a copy of a mail that
 * the account sent. Only the needed parts are fetched: the header, the text up to a limit, and each file as a stream.
 */
import type { ImapFlow } from 'imapflow';
import type { MessageType } from '../contract/capabilities.ts';
import type { DriverContext } from '../contract/driver.ts';
import type { ReceivedFile } from '../contract/connection.ts';
import type { InboundMessage, Signal } from '../contract/signal.ts';
import { readReport } from './bounce.ts';
import { receiveFile, receiveSource, toText } from './fetch-parts.ts';
import { type MailHeaders, type Party, readHeaders } from './headers.ts';
import { getClientId, getThreadKey } from './message-id.ts';
import { type MailParts, readStructure } from './structure.ts';

const MAX_HEADER = 65_536;
const MAX_REPORT = 524_288;

export interface Account {
  readonly address: string;
  readonly context: Pick<DriverContext, 'receiveFile'>;
}

/** The data of one mail from a single request to the server. */
interface Fetched {
  headers: MailHeaders;
  parts: MailParts;
  /** Bytes of the whole mail, as the server reports. */
  size: number;
  at: Date;
}

/**
 * @param client has the mail's folder selected
 * @param isSent whether it is the folder of sent mail
 * @returns no signals if the mail no longer exists
 */
export async function readMail(
  client: ImapFlow,
  uid: number,
  isSent: boolean,
  account: Account,
): Promise<Signal[]> {
  const range = String(uid);
  const found = await client.fetchOne(
    range,
    {
      uid: true,
      size: true,
      bodyStructure: true,
      internalDate: true,
      bodyParts: [{ key: 'header', maxLength: MAX_HEADER }],
    },
    { uid: true },
  );
  if (!found || !found.headers) {
    // imapflow drops a response that is nested too deeply, as if the mail didn't exist.
    if (client.usable && (await client.fetchOne(range, { uid: true }, { uid: true })))
      throw new Error('What the server tells of the mail can not be read.');
    return [];
  }
  const mail: Fetched = {
    headers: await readHeaders(found.headers),
    parts: found.bodyStructure ? readStructure(found.bodyStructure) : readStructure({ type: 'text/plain' }),
    size: found.size ?? 0,
    at: found.internalDate instanceof Date ? found.internalDate : new Date(),
  };
  const signals: Signal[] = [];
  if (mail.parts.isDeliveryReport && !isSent) {
    const report = await readReport(await getSource(client, range));
    if (report) {
      const isOurs = (id: string): boolean => getClientId(id, account.address) !== null;
      const externalId = report.messageIds.find(isOurs) ?? report.messageIds[0]!;
      const clientId = getClientId(externalId, account.address);
      const { status, error } = report;
      signals.push({ kind: 'receipt', externalId, clientId, status, error, at: mail.at });
      if (clientId !== null) return signals;
    }
  }
  return [...signals, ...(await toMessages(client, range, mail, isSent, account))];
}

async function toMessages(
  client: ImapFlow,
  range: string,
  { headers, parts, size, at }: Fetched,
  isSent: boolean,
  account: Account,
): Promise<InboundMessage[]> {
  // Anyone can forge our address in From. Only the folder of sent mail, which others cannot fill, proves that the
  // account wrote it.
  const fromMe = isSent;
  const isOwn = isSent || headers.from.address === account.address;
  // This also recognizes mail that the account sent to itself.
  const clientId = isOwn ? getClientId(headers.messageId, account.address) : null;
  const author = fromMe ? { address: account.address, name: null } : headers.from;
  const other = fromMe
    ? (headers.to.find(({ address }) => address !== account.address) ?? headers.to[0] ?? author)
    : replyParty(headers, account.address, author);
  const notes: string[] = [];
  const files: { received: ReceivedFile; type: MessageType }[] = [];
  // The files of a message that was sent through us are already stored.
  for (const file of clientId === null ? parts.files : []) {
    const received = await receiveFile(client, range, file, account.context);
    if (typeof received === 'string') notes.push(received);
    else files.push({ received, type: typeOfFile(file.mimeType) });
  }
  if (parts.omittedFiles > 0) notes.push(`[files left out: ${parts.omittedFiles}]`);
  const text = [await toText(client, range, parts.body), ...notes].filter((each) => each !== '').join('\n\n');
  // The source is not stored for a message sent through us, or for one that the account's mail program keeps.
  const source =
    fromMe || clientId !== null ? null : await receiveSource(client, range, size, account.context);
  const isEmpty = text === '' && files.length > 0;
  const first: InboundMessage = {
    kind: 'message',
    externalId: headers.messageId,
    clientId,
    chat: {
      kind: 'direct',
      key: getThreadKey(headers.root, account.address),
      address: other.address,
      title: threadTitle(headers.subject),
    },
    from: author.address,
    fromName: author.name,
    fromMe,
    to: fromMe ? other.address : account.address,
    type: files[0]?.type ?? 'text',
    text: isEmpty ? null : text,
    file: files[0] ? { received: files[0].received } : null,
    data: null,
    source: source && { received: source },
    automatic: headers.automatic ?? (parts.isReadReceipt ? 'auto_replied' : null),
    subject: headers.subject,
    replyTo: headers.parent === null ? null : { externalId: headers.parent },
    mentions: [],
    at,
  };
  const further = files.slice(1).map(({ received, type }, index): InboundMessage => ({
    ...first,
    externalId: `${headers.messageId}/${index + 2}`,
    clientId: null,
    type,
    text: null,
    file: { received },
    source: null,
    replyTo: null,
  }));
  return [first, ...further];
}

/**
 * Returns the recipient of a reply. As in every mail program, it is Reply-To if there is one, even if it contains no
 * address.
 */
const replyParty = (headers: MailHeaders, own: string, author: Party): Party =>
  headers.replyTo && headers.replyTo.address !== own ? headers.replyTo : author;

/** Returns a subject without the prefixes of replies and forwards. */
export const threadTitle = (subject: string | null): string | null =>
  subject?.replace(/^(?:\s*(?:re|aw|fwd?|wg|sv|vs|antw|tr|rv|odp)(?:\[\d+\])?\s*:)+\s*/i, '').trim() ||
  subject;

function typeOfFile(mimeType: string): MessageType {
  const kind = mimeType.split('/')[0]!;
  return kind === 'image' || kind === 'video' || kind === 'audio' ? kind : 'document';
}

async function getSource(client: ImapFlow, range: string): Promise<Buffer> {
  const found = await client.fetchOne(range, { source: { start: 0, maxLength: MAX_REPORT } }, { uid: true });
  return found && found.source ? found.source : Buffer.alloc(0);
}
