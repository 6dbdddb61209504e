/**
 * The connection as the parts of the XMPP driver use it: stanzas out, stanzas in, requests. Implemented by
 * open-stream.ts, the only user of the socket.
 */
import type { Element } from '@xmpp/xml';

/**
 * Handles a stanza. Returns true if it took the stanza, so that no later handler is called. Never throws, never waits.
 * Results and errors of `ask` are not passed to handlers. A `get` or `set` that no handler takes gets an error
 * response; a handler that takes one responds with `reply`.
 */
export type StanzaHandler = (stanza: Element) => boolean;

export interface XmppStream {
  /** The account's bare address, normalized: `support@example.com`. */
  readonly account: string;
  /** The account's address with the bound resource. */
  readonly fullJid: string;
  /** The domain of the account's server. */
  readonly domain: string;
  /** Whether the server acknowledges stanzas (XEP-0198). */
  readonly acknowledges: boolean;
  /** Adds a handler. Handlers are called in the order in which they were added. @returns a function that removes it */
  onStanza(handler: StanzaHandler): () => void;
  /**
   * Called within a handler. Delays the acknowledgement of the stanza until the returned function is called, so that a
   * server without an archive delivers it again if it was not emitted. While `MAX_HELD` stanzas are held, nothing is
   * read, not even responses, so never await a response before releasing one.
   */
  hold(): () => void;
  /**
   * Resolves once the stanza is written to the socket.
   * @throws DriverError lost if it was not; unknown if it may have been; rejected, too_large if no server would accept
   *   it
   */
  send(stanza: Element): Promise<void>;
  /** Responds to a `get` or `set` without waiting. The response is dropped if the server reads too slowly. */
  reply(question: Element, payload: Element | null): void;
  /**
   * Resolves once the server has acknowledged the stanza, by stream management or else by responding to a later ping.
   * @throws DriverError lost if it was never written to the socket; unknown; rejected, too_large
   */
  sendAcknowledged(stanza: Element, signal: AbortSignal): Promise<void>;
  /**
   * Sends a request and resolves with the payload of the response; null for an empty result.
   * @param to null for the account's own server side
   * @throws DriverError: rejected or busy with the stanza error's condition as code (`item_not_found`, `forbidden`);
   *   lost; unknown if no response arrived
   */
  ask(
    question: { to: string | null; type: 'get' | 'set'; payload: Element },
    signal?: AbortSignal,
  ): Promise<Element | null>;
  /**
   * Resolves once the entity has responded to a ping, even with an error. Entities process stanzas in order (RFC 6120,
   * 10.1), so it has rejected earlier stanzas by then if it does; an acknowledgement (XEP-0198) only means that they
   * were read.
   * @param to the account's server by default
   * @throws DriverError lost
   */
  ping(signal: AbortSignal, to?: string): Promise<void>;
  /** Returns the features (XEP-0030) of an entity, requested once per connection. @throws DriverError as `ask` */
  features(of: string): Promise<ReadonlySet<string>>;
}

/** Pending stanzas at which reading pauses. */
export const MAX_HELD = 256;
