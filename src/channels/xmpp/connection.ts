/**
 * A connected account: one stream that all parts share. When it ends or a part fails, the whole connection ends, which
 * is reported once. Nothing is emitted before the opener has the connection, or after it is closed.
 */
import xml from '@xmpp/xml';
import type { Connection } from '../contract/connection.ts';
import type { DriverContext } from '../contract/driver.ts';
import { DriverError } from '../contract/driver-error.ts';
import { assertWithinLimits } from '../contract/limits.ts';
import type { Json } from '../contract/json.ts';
import { type Signal, unprocessed } from '../contract/signal.ts';
import { createArchive } from './session/archive.ts';
import { CAPABILITIES } from './capabilities.ts';
import { createContacts } from './contacts.ts';
import { createDisco } from './disco.ts';
import { abandoned, lost, toNetworkError } from './wire/errors.ts';
import { createInbound } from './inbound.ts';
import { lookUp } from './lookup.ts';
import { type OpenStream, openStream } from './open-stream.ts';
import { createPresence } from './presence.ts';
import { createRooms } from './rooms/rooms.ts';
import { createSending } from './send.ts';
import { readPassword, readSettings, type XmppSettings } from './wire/settings.ts';
import { NS } from './stanza/namespaces.ts';
import { restore } from './stanza/unread.ts';
import { createTelling } from './session/telling.ts';
import { createUpload } from './upload.ts';

/** @throws DriverError */
export async function openConnection(context: DriverContext): Promise<Connection> {
  const settings = readSettings(context.settings);
  const watch: Watch = { ended: null, onEnd: null };
  const stream = await openStream({
    context,
    settings,
    password: readPassword(context.credentials),
    onEnd(fault) {
      watch.ended = fault;
      watch.onEnd?.(fault);
    },
  });
  const onAbort = (): void => void stream.close();
  context.signal.addEventListener('abort', onAbort);
  try {
    const connection = await start(context, settings, stream, watch);
    if (watch.ended) throw watch.ended;
    if (context.signal.aborted) throw abandoned();
    return connection;
  } catch (error) {
    await stream.close();
    throw asLoss(error);
  } finally {
    context.signal.removeEventListener('abort', onAbort);
  }
}

/** Holds the fault that ended the stream, and a listener for it. */
interface Watch {
  ended: DriverError | null;
  onEnd: ((fault: DriverError) => void) | null;
}

/**
 * Converts any error to a lost connection: an account that can't receive is not connected, whatever code the server
 * gives.
 */
function asLoss(error: unknown): DriverError {
  const fault = toNetworkError(error);
  return fault.kind === 'lost' || fault.kind === 'refused' ? fault : lost(fault.code, fault.message, fault);
}

async function start(
  context: DriverContext,
  settings: XmppSettings,
  stream: OpenStream,
  watch: Watch,
): Promise<Connection> {
  let isOver = false;
  const opened = Promise.withResolvers<void>();
  const stop = async (): Promise<void> => {
    isOver = true;
    inbound.stop();
    rooms.stop();
    opened.resolve();
    await Promise.all([telling.stop(), stream.close()]);
  };
  const end = (error: unknown): void => {
    if (isOver) return;
    void stop();
    context.ended(asLoss(error));
  };

  // Emits only after the opener has the connection.
  const emit: DriverContext['emit'] = async (...told) => {
    await opened.promise;
    if (isOver) throw lost('closed', 'The connection is closed.');
    return context.emit(...told);
  };
  const telling = createTelling({ emit, position: context.position }, end);
  const archive = await createArchive(stream, settings.jid).catch(orNone(null));
  const contacts = createContacts({ stream, telling, takesRoster: settings.takesRoster });
  const presence = createPresence({ stream, telling, letsIn: settings.acceptsContacts });
  const upload = createUpload({ stream, context, allowsPlain: settings.security === 'none' });
  const rooms = createRooms({
    stream,
    telling,
    context,
    nick: settings.nick,
    service: settings.groupService,
    acceptsInvites: settings.acceptsInvites,
  });
  const sending = createSending({ stream, upload, rooms });
  const { isRoom, onInvitation } = rooms;
  let hasCopies = false;
  const inbound = createInbound({
    stream,
    telling,
    context,
    archive,
    isRoom,
    hasCopies: () => hasCopies,
    onInvitation,
    onFault: end,
  });
  const handlers = [
    createDisco(stream),
    sending.handle,
    rooms.handle,
    contacts.handle,
    presence.handle,
    inbound.handle,
  ];
  for (const handler of handlers) stream.onStanza(handler);
  hasCopies = await copies(stream);
  await presence.announce();
  // Until the server has processed the presence, it stores incoming messages without delivering them, and the archive
  // position would follow them.
  await stream.ping(context.signal);
  // Nothing is awaited after this: either the connection opens, or `ended` reports why not.
  watch.onEnd = end;
  setImmediate(() => {
    opened.resolve();
    if (isOver) return;
    inbound.catchUp().catch(end);
    // An account works without a roster, so a server that has none or is slow to send it is no error.
    contacts.tellAll().catch((error: unknown) => {
      if (!isOver) context.log.warn({ error: String(error) }, 'The roster of an account could not be read');
    });
    void rooms.rejoin();
  });

  const readAgain = (raw: Json): Signal[] => {
    const kept = restore(raw);
    if (!kept) return [unprocessed('malformed', null, raw)];
    if (kept.room === null) return inbound.readAgain(kept);
    // The stanza can be read once the account is in the room again.
    return rooms.readAgain(kept.room, kept) ?? [unprocessed('unknown_kind', null, raw)];
  };

  return {
    address: settings.jid,
    profileName: settings.givenNick,
    contacts: contacts.calls,
    groups: rooms.calls,
    async send(message, signal) {
      assertWithinLimits(CAPABILITIES, message);
      return sending.send(message, signal);
    },
    edit: sending.edit,
    revoke: sending.revoke,
    react: sending.react,
    markRead: sending.markRead,
    lookup: (clientId, chat, signal) =>
      lookUp({ stream, archive, getArchive: (room) => createArchive(stream, room) }, clientId, chat, signal),
    setTyping: (chat, isTyping) => presence.setTyping(chat, isTyping),
    receive: (parts) => telling.emit(parts.flatMap(({ body }) => readAgain(body))),
    probe: (signal) => stream.ping(signal),
    close: stop,
  };
}

/** Enables copies of what the account's other devices send and receive (XEP-0280), if the server supports them. */
async function copies(stream: OpenStream): Promise<boolean> {
  const features = await stream.features(stream.domain).catch(orNone(new Set<string>()));
  if (!features.has(NS.carbons)) return false;
  const payload = xml('enable', { xmlns: NS.carbons });
  const enabled = stream.ask({ to: null, type: 'set', payload }).then(() => true);
  return enabled.catch(orNone(false));
}

/** Treats a feature that the server refuses as missing. */
const orNone =
  <T>(none: T) =>
  (error: unknown): T => {
    if (error instanceof DriverError && error.kind === 'rejected') return none;
    throw error;
  };
