/**
 * A mail in a folder as what it tells: a message and its files, what became of one of ours, or the copy of what the account
 * sent. Only what is needed is fetched: the header, the text up to a bound, each file as a stream.
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

/** Everything of one mail that costs another question to the server. */
interface Fetched {
  headers: MailHeaders;
  parts: MailParts;
  /** Of the whole mail in bytes, as the server says. */
  size: number;
  at: Date;
}

/**
 * @param client has the mail's folder selected
 * @param isSent whether it is the folder of what the account has sent
 * @returns nothing where the mail is gone
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
    // An answer nested too deeply is dropped as if the mail weren't there.
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
  // Anybody can write our address into From: only the folder that the account alone fills says what the account wrote.
  const fromMe = isSent;
  const isOwn = isSent || headers.from.address === account.address;
  // Mail that the account sent to itself is known by this as well.
  const clientId = isOwn ? getClientId(headers.messageId, account.address) : null;
  const author = fromMe ? { address: account.address, name: null } : headers.from;
  const other = fromMe
    ? (headers.to.find(({ address }) => address !== account.address) ?? headers.to[0] ?? author)
    : replyParty(headers, account.address, author);
  const notes: string[] = [];
  const files: { received: ReceivedFile; type: MessageType }[] = [];
  // Of what was sent through us, the files are here already.
  for (const file of clientId === null ? parts.files : []) {
    const received = await receiveFile(client, range, file, account.context);
    if (typeof received === 'string') notes.push(received);
    else files.push({ received, type: typeOfFile(file.mimeType) });
  }
  if (parts.omittedFiles > 0) notes.push(`[files left out: ${parts.omittedFiles}]`);
  const text = [await toText(client, range, parts.body), ...notes].filter((each) => each !== '').join('\n\n');
  // What was sent through us is here already, and so is what a program of the account's keeps.
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

/** Whom an answer goes to: as every mail program has it, Reply-To where there is one, also where it names nobody. */
const replyParty = (headers: MailHeaders, own: string, author: Party): Party =>
  headers.replyTo && headers.replyTo.address !== own ? headers.replyTo : author;

/** A subject without what replies and forwards put before it. */
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
