/** A stream whose server is the test: it says what comes, and sees what goes. What a real one never does can be done here. */
import type { Element } from '@xmpp/xml';
import type { StanzaHandler, XmppStream } from '../../../../src/channels/xmpp/session/stream.ts';

export interface ScriptedStream extends XmppStream {
  /** All that was sent, in order. */
  sent: Element[];
  /** Held up and not yet let go. */
  held: number;
  /** @returns whether somebody took it */
  receive(stanza: Element): boolean;
}

/** @param answer to `ask` */
export function scriptedStream(
  account: string,
  answer: (payload: Element, to: string | null) => Promise<Element | null> = async () => null,
  features: readonly string[] = [],
): ScriptedStream {
  const handlers = new Set<StanzaHandler>();
  const stream: ScriptedStream = {
    account,
    fullJid: `${account}/fairlead`,
    domain: account.split('@')[1]!,
    acknowledges: true,
    sent: [],
    held: 0,
    receive: (stanza) => [...handlers].some((handler) => handler(stanza)),
    onStanza(handler) {
      handlers.add(handler);
      return () => void handlers.delete(handler);
    },
    hold() {
      stream.held += 1;
      return () => void (stream.held -= 1);
    },
    async send(stanza) {
      stream.sent.push(stanza);
    },
    reply: () => undefined,
    async sendAcknowledged(stanza) {
      stream.sent.push(stanza);
    },
    ask: ({ payload, to }) => answer(payload, to),
    ping: async () => undefined,
    features: async () => new Set(features),
  };
  return stream;
}
