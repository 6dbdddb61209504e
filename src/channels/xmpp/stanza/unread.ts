/**
 * Decides which message stanzas without signals are ignored on purpose, and which are kept as unprocessed. Kept stanzas
 * are stored as text, so that they can be read again.
 */
import type { Element } from '@xmpp/xml';
import type { Json } from '../../contract/json.ts';
import { type Signal, type Unprocessed, unprocessed } from '../../contract/signal.ts';
import { XmlError, XmlReader } from '../wire/xml-reader.ts';
import { getAttribute } from './elements.ts';
import { NS } from './namespaces.ts';

/** Namespaces of elements that accompany messages or describe a device, and mean nothing alone. */
const IGNORED_NAMESPACES = new Set<string>([
  'http://jabber.org/protocol/chatstates',
  'http://jabber.org/protocol/pubsub#event',
  'jabber:x:delay',
  'jabber:x:event',
  'vcard-temp:x:update',
  NS.carbons,
  NS.conference,
  NS.delay,
  NS.hints,
  NS.markers,
  NS.mucUser,
  NS.nick,
  NS.receipts,
  NS.sid,
]);
/** Ignored elements in the stanza's own namespace. A body is also ignored if it is empty. */
const IGNORED_NAMES = new Set(['thread', 'error']);
/** Types of errors that are not about our messages, and of server announcements. */
const IGNORED_TYPES = new Set(['error', 'headline']);

export interface KeptStanza {
  stanza: Element;
  stanzaId: string | null;
  at: Date;
  /** Bare address of the room. */
  room: string | null;
}

const isIgnored = (child: Element): boolean =>
  child.getNS() === NS.client || child.getNS() === undefined
    ? IGNORED_NAMES.has(child.getName()) || (child.getName() === 'body' && child.getText().trim() === '')
    : IGNORED_NAMESPACES.has(child.getNS()!);

const toUnprocessed = (
  { stanza, stanzaId, at, room }: KeptStanza,
  reason: Unprocessed['reason'],
  type: string | null,
): Unprocessed =>
  unprocessed(reason, type, { stanza: stanza.toString(), stanza_id: stanzaId, at: at.toISOString(), room });

/** Returns the signals from `read`, or an unprocessed signal in their place. */
export function readOrKeep(kept: KeptStanza, read: () => Signal[]): Signal[] {
  let signals: Signal[];
  try {
    signals = read();
  } catch {
    // A stanza that can't be read must not block the others.
    return [toUnprocessed(kept, 'malformed', null)];
  }
  const { stanza } = kept;
  if (signals.length || IGNORED_TYPES.has(getAttribute(stanza, 'type') ?? '')) return signals;
  const unknown = stanza.children.find(
    (child): child is Element => typeof child === 'object' && !isIgnored(child),
  );
  if (!unknown) return [];
  const namespace = unknown.getNS();
  const isNew = namespace !== undefined && !(Object.values(NS) as string[]).includes(namespace);
  const name = isNew ? `${unknown.getName()} ${namespace}` : unknown.getName();
  return [toUnprocessed(kept, isNew ? 'unknown_kind' : 'malformed', name)];
}

/** Restores a kept stanza; null if it is not one. */
export function restore(raw: Json): KeptStanza | null {
  const given = raw as { stanza?: unknown; stanza_id?: unknown; at?: unknown; room?: unknown } | null;
  if (typeof given?.stanza !== 'string') return null;
  const found: Element[] = [];
  const reader = new XmlReader({
    onHeader: () => undefined,
    onElement: (element) => void found.push(element),
    onFooter: () => undefined,
  });
  try {
    reader.write(`<stream xmlns='${NS.client}'>${given.stanza}`);
  } catch (error) {
    if (!(error instanceof XmlError)) throw error;
    return null;
  }
  const [stanza] = found;
  if (!stanza) return null;
  const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);
  return {
    stanza,
    stanzaId: text(given.stanza_id),
    at: new Date(text(given.at) ?? 0),
    room: text(given.room),
  };
}
