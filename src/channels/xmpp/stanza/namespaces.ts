/** Namespaces of message contents, each with its XEP. */
export const NS = {
  client: 'jabber:client',
  /** 0066 */
  oob: 'jabber:x:oob',
  /** 0080 */
  geoloc: 'http://jabber.org/protocol/geoloc',
  /** 0045 */
  mucUser: 'http://jabber.org/protocol/muc#user',
  /** 0172 */
  nick: 'http://jabber.org/protocol/nick',
  /** 0184 */
  receipts: 'urn:xmpp:receipts',
  /** 0203 */
  delay: 'urn:xmpp:delay',
  /** 0249 */
  conference: 'jabber:x:conference',
  /** 0280 */
  carbons: 'urn:xmpp:carbons:2',
  /** 0297 */
  forward: 'urn:xmpp:forward:0',
  /** 0308 */
  correct: 'urn:xmpp:message-correct:0',
  /** 0313 */
  mam: 'urn:xmpp:mam:2',
  /** 0059 */
  rsm: 'http://jabber.org/protocol/rsm',
  /** 0004 */
  form: 'jabber:x:data',
  /** 0333 */
  markers: 'urn:xmpp:chat-markers:0',
  /** 0334 */
  hints: 'urn:xmpp:hints',
  /** 0359 */
  sid: 'urn:xmpp:sid:0',
  /** 0363 */
  upload: 'urn:xmpp:http:upload:0',
  /** 0030 */
  discoItems: 'http://jabber.org/protocol/disco#items',
  discoInfo: 'http://jabber.org/protocol/disco#info',
  /** 0372 */
  reference: 'urn:xmpp:reference:0',
  /** 0380 */
  encryption: 'urn:xmpp:eme:0',
  /** 0384, in the version that is widely used */
  omemo: 'eu.siacs.conversations.axolotl',
  /** 0385 */
  sims: 'urn:xmpp:sims:1',
  jingleFile: 'urn:xmpp:jingle:apps:file-transfer:5',
  /** 0422, and 0424 before version 0.4 */
  fasten: 'urn:xmpp:fasten:0',
  oldRetract: 'urn:xmpp:message-retract:0',
  /** 0424 */
  retract: 'urn:xmpp:message-retract:1',
  /** 0425, in both versions */
  oldModerate: 'urn:xmpp:message-moderate:0',
  moderate: 'urn:xmpp:message-moderate:1',
  /** 0428 */
  fallback: 'urn:xmpp:fallback:0',
  oldFallback: 'urn:xmpp:feature-fallback:0',
  /** 0444 */
  reactions: 'urn:xmpp:reactions:0',
  /** 0446 */
  fileMetadata: 'urn:xmpp:file:metadata:0',
  /** 0447 */
  sfs: 'urn:xmpp:sfs:0',
  urlData: 'http://jabber.org/protocol/url-data',
  /** 0461 */
  reply: 'urn:xmpp:reply:0',
} as const;
