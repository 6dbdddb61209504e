/**
 * A connected account: one IMAP connection that listens, one for operations, and SMTP on demand. When one of the IMAP
 * connections ends, the whole connection ends.
 */
import { buffer } from 'node:stream/consumers';
import type { ImapFlow } from 'imapflow';
import { type Connection, type OutboundMessage } from '../contract/connection.ts';
import { type DriverContext } from '../contract/driver.ts';
import { DriverError } from '../contract/driver-error.ts';
import { assertWithinLimits } from '../contract/limits.ts';
import { isUnknown, normalizeEmail } from './address.ts';
import { CAPABILITIES } from './capabilities.ts';
import { compose } from './compose.ts';
import { toImapError } from './errors.ts';
import { openImap, withinBytes } from './imap-client.ts';
import { connectionLost, createMailReader, type MailReader } from './mail-reader.ts';
import { markSeen } from './mark-seen.ts';
import { getRoot } from './message-id.ts';
import { getDomain, type EmailSettings, readLogins, readSettings } from './settings.ts';
import { createSmtpClient, type SmtpClient } from './smtp-client.ts';

/** Maximum size of a mail that is copied to the folder of sent mail, because the copy is held in memory. */
const MAX_COPY = 10_000_000;
/** Maximum bytes of a folder list, which is held in memory: some 5,000 folders, each listed twice (LSUB). */
const MAX_LISTED = 500_000;

/** @throws DriverError */
export async function openConnection(context: DriverContext): Promise<Connection> {
  const settings = readSettings(context.settings);
  const logins = readLogins(context.credentials);
  const address = normalizeEmail(settings.address);
  const { egress, signal } = context;
  const smtp = createSmtpClient(egress, settings.smtp, logins.smtp, getDomain(address));
  const clients: ImapFlow[] = [];
  const imap = async (listens: boolean): Promise<ImapFlow> => {
    const client = await openImap({ egress, server: settings.imap, login: logins.imap, listens, signal });
    clients.push(client);
    return client;
  };
  const closeAll = (): void => {
    smtp.close();
    for (const client of clients) client.close();
  };
  signal.addEventListener('abort', closeAll);
  try {
    // In sequence, because with a wrong password each connection counts as an attempt.
    const worker = await imap(false);
    const sentFolder = await withinBytes(worker, MAX_LISTED, tooManyFolders, () =>
      findFolders(worker, settings),
    );
    const listener = await imap(true);
    await smtp.verify(signal);
    await withinBytes(listener, MAX_LISTED, tooManyFolders, async () => {
      await listener.mailboxOpen(settings.folder, { readOnly: true }); // this lists the folder that it opens
    });
    return await start({ context, settings, address, worker, listener, smtp, sentFolder, closeAll });
  } catch (error) {
    closeAll();
    throw toImapError(error);
  } finally {
    signal.removeEventListener('abort', closeAll);
  }
}

const tooManyFolders = (): DriverError =>
  new DriverError('refused', 'too_many_folders', 'The account has too many folders.');

/** @returns the folder of sent mail. @throws DriverError refused if a folder in the settings doesn't exist */
async function findFolders(client: ImapFlow, { folder, sentFolder }: EmailSettings): Promise<string | null> {
  const listed = await client.list();
  const isThere = (name: string): boolean =>
    listed.some(
      ({ path }) => path === name || (path.toUpperCase() === 'INBOX' && name.toUpperCase() === 'INBOX'),
    );
  for (const name of [folder, ...(sentFolder === null ? [] : [sentFolder])])
    if (!isThere(name))
      throw new DriverError('refused', 'folder_not_found', `The account has no folder ${name}.`);
  const sent = sentFolder ?? listed.find(({ specialUse }) => specialUse === '\\Sent')?.path ?? null;
  return sent === folder ? null : sent;
}

interface Parts {
  context: DriverContext;
  settings: EmailSettings;
  address: string;
  worker: ImapFlow;
  listener: ImapFlow;
  smtp: SmtpClient;
  sentFolder: string | null;
  closeAll(): void;
}

async function start(parts: Parts): Promise<Connection> {
  const { context, settings, address, worker, listener, smtp, sentFolder, closeAll } = parts;
  let isOver = false;
  const end = (fault: DriverError): void => {
    if (isOver) return;
    isOver = true;
    clearInterval(poll);
    closeAll();
    context.ended(fault);
  };
  const reader: MailReader = createMailReader({
    client: worker,
    context,
    address,
    folder: settings.folder,
    sentFolder,
    historyDays: settings.historyDays,
    onFault: end,
  });
  await reader.begin();
  const poll = setInterval(() => reader.wake(), settings.pollMs).unref();
  listener.on('exists', () => reader.wake());
  for (const client of [worker, listener])
    client.on('close', () => {
      // Nothing can be stored after the end, so a running reader first stores the mail at which the connection was
      // lost.
      if (worker.usable || !reader.isReading()) end(connectionLost());
    });
  if (!worker.usable || !listener.usable) {
    clearInterval(poll);
    throw connectionLost();
  }
  // Not before the opener has the connection.
  setImmediate(() => reader.wake());

  return {
    address,
    profileName: settings.displayName,
    async send(message, signal) {
      assertWithinLimits(CAPABILITIES, message);
      if (isUnknown(message.chat.address))
        throw new DriverError('rejected', 'no_reply_address', 'The mail has no reply address.');
      const mail = await compose(message, settings);
      const replaced = await smtp.send(mail.envelope, mail.source, signal);
      if (settings.savesSent && sentFolder !== null && mail.envelope.size <= MAX_COPY)
        void saveCopy(parts, sentFolder, message);
      return { externalId: replaced ?? mail.messageId, status: 'sent', at: new Date() };
    },
    async markRead(chat, { externalId }, signal) {
      if (externalId === null) return;
      await within(
        signal,
        markSeen(worker, settings.folder, getRoot(chat.key, chat.address, address), externalId),
      );
    },
    async receive(given) {
      for (const { body } of given) await context.emit(await reader.readAgain(body));
    },
    async probe(signal) {
      await within(signal, Promise.all([worker.noop(), listener.noop()]));
      if (!worker.usable || !listener.usable) throw connectionLost();
      reader.wake(); // in case the listener missed something
    },
    async close() {
      isOver = true;
      clearInterval(poll);
      closeAll();
      await reader.stop();
    },
  };
}

/** Saves a copy of a sent mail. A failure is only logged, because the mail itself was sent. */
async function saveCopy(
  { worker, settings, context }: Parts,
  folder: string,
  message: OutboundMessage,
): Promise<void> {
  try {
    const { source } = await compose(message, settings);
    await worker.append(folder, await buffer(source), ['\\Seen']);
  } catch (error) {
    context.log.warn(
      { error: String(error) },
      'The copy of a mail could not be put into the folder of sent mail',
    );
  }
}

async function within<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const { promise: givenUp, reject } = Promise.withResolvers<never>();
  const onAbort = (): void =>
    reject(new DriverError('lost', 'no_answer', 'The IMAP server does not respond.'));
  signal.addEventListener('abort', onAbort);
  work.catch(() => {}); // if it loses the race, its error is ignored
  try {
    if (signal.aborted) onAbort();
    return await Promise.race([work, givenUp]);
  } catch (error) {
    throw toImapError(error);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
