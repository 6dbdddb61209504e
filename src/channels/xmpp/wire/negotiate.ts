/**
 * Turns a socket into a stream that is signed in and bound (RFC 6120). The client decides the order, and never drops a
 * requirement of the settings because a server, or an attacker in between, does not offer it.
 */
import xml, { type Element } from '@xmpp/xml';
import type tls from 'node:tls';
import { parseJid } from './address.ts';
import { lost, refused, stanzaCondition } from './errors.ts';
import type { XmppSettings } from './settings.ts';
import { NS } from './namespaces.ts';
import { signIn } from './sasl.ts';
import type { Wire } from './wire.ts';

export interface Negotiation {
  settings: Pick<XmppSettings, 'domain' | 'local' | 'jid' | 'security' | 'takesPlainPassword'>;
  password: string;
  resource: string;
  /** The certificates that this server trusts. */
  tls: tls.ConnectionOptions;
  signal: AbortSignal;
}

export interface Negotiated {
  /** The address with its resource, exactly as the server sent it. */
  fullJid: string;
  /** Whether stream management is enabled. */
  acknowledges: boolean;
}

/** @throws DriverError */
export async function negotiate(wire: Wire, given: Negotiation): Promise<Negotiated> {
  const { settings, password, resource, signal } = given;
  const { domain, security } = settings;
  let features = await wire.begin(domain);
  if (security === 'starttls') {
    await startTls(wire, features, given);
    features = await wire.begin(domain);
  }
  const allowsPlain = security !== 'none' || settings.takesPlainPassword;
  await signIn(wire, features, { user: settings.local, password, allowsPlain });
  signal.throwIfAborted();
  features = await wire.begin(domain);
  const fullJid = await bind(wire, settings.jid, resource);
  const session = features.getChild('session', NS.session);
  if (session && !session.getChild('optional')) await ask(wire, xml('session', { xmlns: NS.session }));
  return { fullJid, acknowledges: features.getChild('sm', NS.sm) ? await enable(wire) : false };
}

async function startTls(wire: Wire, features: Element, given: Negotiation): Promise<void> {
  if (!features.getChild('starttls', NS.tls))
    throw refused('starttls_unavailable', 'The XMPP server does not offer STARTTLS.');
  await wire.write(xml('starttls', { xmlns: NS.tls }).toString());
  const answer = await wire.next();
  if (!answer.is('proceed', NS.tls))
    throw lost('tls_failed', 'The XMPP server offered STARTTLS but rejected it.');
  await wire.secure(given.settings.domain, given.tls, given.signal);
}

/** Sends a request and returns the result. @throws DriverError */
async function ask(wire: Wire, payload: Element): Promise<Element> {
  const id = `open-${payload.getName()}`;
  await wire.write(xml('iq', { type: 'set', id, xmlns: NS.client }, payload).toString());
  const answer = await wire.next();
  if (!answer.is('iq', NS.client) || answer.attrs['id'] !== id)
    throw lost('invalid_stream', 'The server sent an unexpected response.');
  if (answer.attrs['type'] === 'result') return answer;
  const condition = stanzaCondition(answer);
  if (condition === 'conflict')
    throw lost('conflict', 'Another connection of the account uses this resource.');
  if (condition === 'not-allowed' || condition === 'resource-constraint')
    throw lost('too_many_connections', 'The server does not allow another connection of the account.');
  throw lost('bind_failed', 'The server rejected the session after sign-in.');
}

/**
 * Binds our own resource, which is the same at each opening, so that a process that takes over an instance ends the
 * session of a dead one.
 */
async function bind(wire: Wire, account: string, resource: string): Promise<string> {
  const answer = await ask(wire, xml('bind', { xmlns: NS.bind }, xml('resource', {}, resource)));
  const bound = answer.getChild('bind', NS.bind)?.getChildText('jid') ?? '';
  const jid = parseJid(bound);
  if (!jid?.resource || `${jid.local}@${jid.domain}` !== account)
    throw refused('wrong_account', 'The server signed in a different account than requested.');
  return bound;
}

/**
 * Enables stream management without resumption: unacknowledged stanzas of a dead session are in the archive, or are
 * delivered again immediately.
 */
async function enable(wire: Wire): Promise<boolean> {
  await wire.write(xml('enable', { xmlns: NS.sm }).toString());
  for (let others = 0; others < 8; others++) {
    const answer = await wire.next();
    if (answer.is('enabled', NS.sm)) return true;
    if (answer.is('failed', NS.sm)) return false;
    // Before the client sends presence, only requests arrive, which their senders can repeat.
  }
  throw lost('invalid_stream', 'The server did not respond to the request for acknowledgements.');
}
