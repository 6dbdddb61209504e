/**
 * Announces the client's features (XEP-0030, XEP-0115) and answers pings (XEP-0199). Others request receipts and the
 * like only if they are announced.
 */
import { createHash } from 'node:crypto';
import xml, { type Element } from '@xmpp/xml';
import type { StanzaHandler, XmppStream } from './session/stream.ts';
import { NS } from './wire/namespaces.ts';

const CAPS = 'http://jabber.org/protocol/caps';
const NODE = 'urn:x-fairlead:xmpp';
const IDENTITY = { category: 'client', type: 'web', name: 'Fairlead' };

/** Sorted by octet, as the hash requires. */
const FEATURES = [
  CAPS,
  NS.discoInfo,
  NS.ping,
  'http://jabber.org/protocol/chatstates',
  'http://jabber.org/protocol/geoloc',
  'http://jabber.org/protocol/muc',
  'jabber:x:conference',
  'jabber:x:oob',
  'urn:xmpp:chat-markers:0',
  'urn:xmpp:fallback:0',
  'urn:xmpp:message-correct:0',
  'urn:xmpp:message-retract:1',
  'urn:xmpp:reactions:0',
  'urn:xmpp:receipts',
  'urn:xmpp:reply:0',
  'urn:xmpp:sid:0',
].sort();

const VERSION = createHash('sha1')
  .update(
    `${IDENTITY.category}/${IDENTITY.type}//${IDENTITY.name}<${FEATURES.map((name) => `${name}<`).join('')}`,
  )
  .digest('base64');

/** Returns the element that announces the features in presence. */
export const capabilities = (): Element => xml('c', { xmlns: CAPS, hash: 'sha-1', node: NODE, ver: VERSION });

const info = (node: string | undefined): Element =>
  xml(
    'query',
    { xmlns: NS.discoInfo, ...(node === undefined ? {} : { node }) },
    xml('identity', IDENTITY),
    ...FEATURES.map((name) => xml('feature', { var: name })),
  );

export function createDisco(stream: Pick<XmppStream, 'reply'>): StanzaHandler {
  return (stanza) => {
    if (!stanza.is('iq') || stanza.attrs['type'] !== 'get') return false;
    const query = stanza.getChild('query', NS.discoInfo);
    const node = query?.attrs['node'] as string | undefined;
    if (query && (node === undefined || node === `${NODE}#${VERSION}`)) {
      stream.reply(stanza, info(node));
      return true;
    }
    if (!stanza.getChild('ping', NS.ping)) return false;
    stream.reply(stanza, null);
    return true;
  };
}
