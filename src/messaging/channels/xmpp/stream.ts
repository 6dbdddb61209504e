/**
 * What the parts of the XMPP driver need of a connection: stanzas out, stanzas in, questions answered. Who makes it is
 * open-stream.ts; nothing else touches the library's client.
 */
import type { Element } from '@xmpp/xml';

/** Looks at what came; true: it was for this one, and nobody after it is asked. Never throws, never waits. */
export type StanzaHandler = (stanza: Element) => boolean;

export interface XmppStream {
  /** The account, bare: `support@example.com`. Normalised. */
  readonly account: string;
  /** With the resource that was bound. */
  readonly fullJid: string;
  /** The account's server. */
  readonly domain: string;
  /** Whether the server acknowledges what it took (XEP-0198). */
  readonly acknowledges: boolean;
  /** Handlers are asked in the order in which they were added. @returns takes it away */
  onStanza(handler: StanzaHandler): () => void;
  /** Resolves once it is given to the socket. @throws DriverError lost, where it was not; unknown, where it may have been */
  send(stanza: Element): Promise<void>;
  /**
   * Resolves once the server has said that it took it: stream management, or without that a ping behind it.
   * @throws DriverError lost, where it was never given to the socket; unknown
   */
  sendAcknowledged(stanza: Element, signal: AbortSignal): Promise<void>;
  /**
   * Asks, and resolves with the answer's payload; null for an empty result.
   * @param to null for the account's own server side
   * @throws DriverError: rejected or busy with the stanza error's condition as code (`item_not_found`, `forbidden`); lost;
   *   unknown where no answer came
   */
  ask(
    question: { to: string | null; type: 'get' | 'set'; payload: Element },
    signal?: AbortSignal,
  ): Promise<Element | null>;
  /** Features (XEP-0030) of an entity; asked once for each connection. */
  features(of: string): Promise<ReadonlySet<string>>;
}
