/** Namespaces of the stream itself (RFC 6120, 6121) and of basic services. */
export const NS = {
  stream: 'http://etherx.jabber.org/streams',
  streams: 'urn:ietf:params:xml:ns:xmpp-streams',
  stanzas: 'urn:ietf:params:xml:ns:xmpp-stanzas',
  client: 'jabber:client',
  tls: 'urn:ietf:params:xml:ns:xmpp-tls',
  sasl: 'urn:ietf:params:xml:ns:xmpp-sasl',
  bind: 'urn:ietf:params:xml:ns:xmpp-bind',
  session: 'urn:ietf:params:xml:ns:xmpp-session',
  sm: 'urn:xmpp:sm:3',
  ping: 'urn:xmpp:ping',
  discoInfo: 'http://jabber.org/protocol/disco#info',
} as const;
