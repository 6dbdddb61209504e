/**
 * The connection as the parts of the XMPP driver use it: stanzas out, stanzas in, requests. Implemented by
 * open-stream.ts, the only user of the socket.
 */
import type { Element } from '@xmpp/xml';

/**
 * Looks at what came; true: it was for this one, and nobody after it is asked. Never throws, never waits. Results and
 * errors of `ask` don't come here; a `get` or `set` that nobody takes is refused in our name, and whoever takes one answers
 * it by `reply`.
 */
export type StanzaHandler = (stanza: Element) => boolean;

export interface XmppStream {
  /** The account, bare: `support@example.com`. Normalized. */
  readonly account: string;
  /** With the resource that was bound. */
  readonly fullJid: string;
  /** The account's server. */
  readonly domain: string;
  /** Whether the server acknowledges what it took (XEP-0198). */
  readonly acknowledges: boolean;
  /** Handlers are asked in the order in which they were added. @returns takes it away */
  onStanza(handler: StanzaHandler): () => void;
  /**
   * Within a handler: the server is not told that this stanza arrived before the returned function is called, so that
   * without an archive it is delivered again where it was not told. Where `MAX_HELD` wait so, nothing more is read, answers
   * neither: never wait for an answer before letting go.
   */
  hold(): () => void;
  /**
   * Resolves once it is given to the socket.
   * @throws DriverError lost, where it was not; unknown, where it may have been; rejected, too_large, where no server would
   *   take it
   */
  send(stanza: Element): Promise<void>;
  /** The answer to a `get` or `set`, without waiting; left out where the server reads too slowly. */
  reply(question: Element, payload: Element | null): void;
  /**
   * Resolves once the server has said that it took it: stream management, or without that a ping behind it.
   * @throws DriverError lost, where it was never given to the socket; unknown; rejected, too_large
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
  /**
   * Resolves once the entity has answered a ping, with whatever answer. Entities work in order (RFC 6120, 10.1), so what it
   * refuses of the stanzas before, it has refused by then; an acknowledgement (XEP-0198) says only that they were read.
   * @param to the account's server by default
   * @throws DriverError lost
   */
  ping(signal: AbortSignal, to?: string): Promise<void>;
  /** Features (XEP-0030) of an entity; asked once for each connection. @throws DriverError as `ask` */
  features(of: string): Promise<ReadonlySet<string>>;
}

/** Pending stanzas at which reading pauses. */
export const MAX_HELD = 256;
