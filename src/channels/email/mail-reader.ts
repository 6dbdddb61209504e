/**
 * Reads new mails of the account's folders in order of their UIDs. The position moves with each mail, in the same
 * transaction as its signals. One read runs at a time; triggers during it start another one.
 */
import type { ImapFlow } from 'imapflow';
import { type DriverContext } from '../contract/driver.ts';
import { DriverError } from '../contract/driver-error.ts';
import type { Json } from '../contract/json.ts';
import { type Signal, unprocessed } from '../contract/signal.ts';
import { unknownAddress } from './address.ts';
import { toImapError } from './errors.ts';
import { movedTo, type Position, readPosition, stuckAt, timesStuck, unreadUids } from './folder-position.ts';
import { readMail } from './read-mail.ts';

/** The resolution of INTERNALDATE. */
const SECOND_MS = 1000;
const DAY_MS = 86_400_000;
/**
 * How often a connection may be lost while reading a mail before the mail is skipped: reading it may crash the server
 * or us.
 */
const MAX_STUCK = 10;
/** Bytes of an unreadable mail that are kept. */
const MAX_SOURCE = 32_768;
/** Error codes for a mail whose structure exceeds the limit, which it does on every attempt. */
const TOO_LARGE = new Set(['LineTooLarge', 'LiteralTooLarge', 'ResponseTooLarge']);

export interface ReaderOptions {
  client: ImapFlow;
  context: DriverContext;
  address: string;
  folder: string;
  /** The folder of sent mail; null if there is none. */
  sentFolder: string | null;
  historyDays: number;
  /** Called once when reading stops, with the reason. */
  onFault(fault: DriverError): void;
}

export interface MailReader {
  /** Stores the end of each folder at the first connection, so that no later mail is missed. */
  begin(): Promise<void>;
  /** Reads all new mails. */
  wake(): void;
  /**
   * Whether a read is running. The reader then reports the end of the connection itself, after storing the mail that
   * caused it.
   */
  isReading(): boolean;
  /** Reads a mail that was kept as unprocessed, if its folder still has it. @throws DriverError */
  readAgain(raw: Json): Promise<Signal[]>;
  /** Stops reading. No signals are emitted after it resolves. */
  stop(): Promise<void>;
}

export const connectionLost = (): DriverError =>
  new DriverError('lost', 'connection_lost', 'The IMAP server ended the connection.');

export function createMailReader(options: ReaderOptions): MailReader {
  const { client, context, address, folder, sentFolder, historyDays, onFault } = options;
  const folders = [folder, ...(sentFolder === null ? [] : [sentFolder])];
  let position: Position = readPosition(
    context.position,
    new Date(Date.now() - historyDays * DAY_MS - SECOND_MS),
  );
  let reading: Promise<void> | null = null;
  let isWanted = false;
  let isStopped = false;
  let isTooLarge = false;
  client.on('error', (error: { code?: string }) => (isTooLarge ||= TOO_LARGE.has(error.code ?? '')));

  const emit = async (signals: Signal[], next: Position): Promise<void> => {
    if (isStopped) return;
    await context.emit(signals, next);
    position = next;
  };
  const toSignals = async (name: string, validity: bigint, uid: number): Promise<Signal[]> => {
    const instead = (source: string | null): Signal[] => [
      unreadable(`${validity}.${uid}`, name, address),
      unprocessed('malformed', null, { folder: name, uid_validity: String(validity), uid, source }),
    ];
    if (timesStuck(position, name, uid) >= MAX_STUCK) return instead(null);
    let ownFault: unknown = null;
    const receiveFile: DriverContext['receiveFile'] = async (source, about) => {
      try {
        return await context.receiveFile(source, about);
      } catch (error) {
        ownFault = error;
        throw error;
      }
    };
    try {
      const signals = await readMail(client, uid, name === sentFolder, { address, context: { receiveFile } });
      // After a connection has ended, imapflow responds as if mails and their parts were missing.
      if (!client.usable) throw connectionLost();
      return signals;
    } catch (error) {
      // A mail that can't be read must not block the others forever.
      if (client.usable && ownFault === null) {
        context.log.warn({ uid, error: String(error) }, 'A mail could not be read');
        const source = await getSource(client, uid).catch(() => null);
        if (client.usable) return instead(source);
      }
      // An error of our own, such as a full disk, is not caused by the mail.
      const times = isTooLarge ? MAX_STUCK : timesStuck(position, name, uid) + 1;
      if (!client.usable && !isStopped)
        await context.emit([], stuckAt(position, name, uid, times)).catch(() => {}); // the first error counts
      throw error;
    }
  };
  const readFolder = async (name: string): Promise<void> => {
    const lock = await client.getMailboxLock(name);
    try {
      if (!client.mailbox) return;
      const { uidValidity } = client.mailbox;
      for (const uid of await unreadUids(client, name, position)) {
        if (isStopped) return;
        const signals = await toSignals(name, uidValidity, uid);
        await emit(signals, movedTo(position, name, uidValidity, uid));
      }
    } finally {
      lock.release();
    }
  };
  const readAll = async (): Promise<void> => {
    try {
      while (isWanted && !isStopped) {
        isWanted = false;
        for (const name of folders) await readFolder(name);
      }
      if (!client.usable && !isStopped) throw connectionLost();
    } catch (error) {
      if (isStopped) return;
      isStopped = true;
      onFault(toImapError(error));
    } finally {
      reading = null;
    }
  };

  return {
    async begin() {
      for (const name of folders) {
        if (position.folders[name] || historyDays > 0) continue;
        const status = await client.status(name, { uidNext: true, uidValidity: true });
        if (status && status.uidValidity !== undefined && status.uidNext !== undefined)
          position = movedTo(position, name, status.uidValidity, status.uidNext - 1);
      }
      if (position !== context.position) await context.emit([], position);
    },
    wake() {
      isWanted = true;
      if (!isStopped) reading ??= readAll();
    },
    isReading: () => reading !== null,
    async readAgain(raw) {
      const { folder: name, uid_validity: validity, uid } = raw as Record<string, Json>;
      const kept = [unprocessed('malformed', null, raw)];
      if (typeof name !== 'string' || !folders.includes(name) || typeof uid !== 'number') return kept;
      const lock = await client.getMailboxLock(name);
      try {
        if (!client.mailbox || String(client.mailbox.uidValidity) !== validity) return kept;
        const signals = await readMail(client, uid, name === sentFolder, { address, context });
        if (!client.usable) throw connectionLost();
        return signals.length ? signals : kept;
      } catch (error) {
        if (!client.usable || error instanceof DriverError) throw toImapError(error);
        return kept;
      } finally {
        lock.release();
      }
    },
    async stop() {
      isStopped = true;
      await reading;
    },
  };
}

/** Returns the beginning of a mail for people to read. The mail stays in the folder. */
async function getSource(client: ImapFlow, uid: number): Promise<string | null> {
  const query = { source: { start: 0, maxLength: MAX_SOURCE } };
  const found = await client.fetchOne(String(uid), query, { uid: true });
  return (found && found.source?.toString('latin1')) || null;
}

const unreadable = (id: string, folder: string, address: string): Signal => {
  const externalId = `${id}@unreadable.invalid`;
  const from = unknownAddress(externalId);
  return {
    kind: 'message',
    externalId,
    chat: { kind: 'direct', key: externalId, address: from, title: null },
    from,
    fromName: null,
    fromMe: false,
    to: address,
    type: 'text',
    text: `[A mail in the folder ${folder} could not be read.]`,
    file: null,
    data: null,
    subject: null,
    replyTo: null,
    mentions: [],
    at: new Date(),
  };
};
