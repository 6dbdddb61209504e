/**
 * Somebody's XMPP program for tests, on the client library as it is and nothing of the driver's: it stays connected, comes
 * back after its server was away, and what it sends is sent once, or again only where the server never had it.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { client, type Client, xml } from '@xmpp/client';
import type { Element } from '@xmpp/xml';
import type { XmppServer, XmppUser } from './xmpp-server.ts';

const RETRY_MS = 200;
/** For an answer of a server that is there. */
const ANSWER_MS = 30_000;
const CLOSES_WITHIN_MS = 2_000;
const BROKEN = new Set(['EPIPE', 'ECONNRESET', 'ERR_STREAM_DESTROYED']);

export type Server = Pick<XmppServer, 'host' | 'tlsPort' | 'domain' | 'ca'>;
/** A connection as long as it lasts. */
export type Link = Client;

export interface SessionOptions {
  resource: string;
  /** In order. */
  onStanza(stanza: Element): void;
  /** After each connecting; what comes meanwhile is told after it. */
  onOnline?(link: Link): Promise<void>;
}

export interface Session {
  /** Waits until it is connected; rejects where the connection breaks meanwhile. */
  use<T>(work: (link: Link) => Promise<T>): Promise<T>;
  /** The same, again and again until it goes through. @param work must bear being done twice */
  insist<T>(work: (link: Link) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export function openSession(
  server: Server,
  { address, password }: XmppUser,
  options: SessionOptions,
): Session {
  let online = Promise.withResolvers<Link>();
  let current: Link | null = null;
  let isClosed = false;

  const connectOnce = async (): Promise<void> => {
    const [username] = address.split('@') as [string];
    const { host, tlsPort, domain, ca } = server;
    const link = client({
      service: `xmpps://${host}:${tlsPort}`,
      domain,
      username,
      password,
      resource: options.resource,
      timeout: ANSWER_MS,
    });
    // Every connection is one of its own, with nothing of the last.
    link.reconnect.stop();
    Object.assign(link, { socketParameters: () => ({ host, port: tlsPort, servername: domain, ca }) });
    const gone = new Promise<void>((resolve) => link.once('disconnect', () => resolve()));
    link.on('error', () => undefined);
    let held: Element[] | null = [];
    link.on('stanza', (stanza: Element) => {
      if (held) held.push(stanza);
      else options.onStanza(stanza);
    });
    current = link;
    let isUp = false;
    try {
      await Promise.race([link.start(), gone.then(() => Promise.reject(new Error('It broke.')))]);
      await options.onOnline?.(link);
      const early = held;
      held = null;
      for (const stanza of early) options.onStanza(stanza);
      isUp = true;
      online.resolve(link);
      await gone;
    } finally {
      if (isUp) online = Promise.withResolvers<Link>();
      destroy(link);
    }
  };
  const run = async (): Promise<void> => {
    while (!isClosed) {
      // That the server is away is what it waits through; whoever uses the session sees for how long.
      await connectOnce().catch(() => undefined);
      if (!isClosed) await delay(RETRY_MS);
    }
  };
  const running = run();

  const use = async <T>(work: (link: Link) => Promise<T>): Promise<T> => {
    if (isClosed) throw new Error(`${address} is closed.`);
    const link = await online.promise;
    let fail: () => void;
    const broken = new Promise<never>((_resolve, reject) => {
      fail = () => reject(new Error(`The connection of ${address} broke.`));
      link.once('disconnect', fail);
    });
    broken.catch(() => undefined);
    return Promise.race([work(link), broken]).finally(() => link.off('disconnect', fail));
  };
  return {
    use,
    async insist(work) {
      for (;;) {
        const link = await online.promise;
        try {
          return await use(work);
        } catch (error) {
          // A socket may be over before the library says so.
          const isBroken =
            link.status !== 'online' || BROKEN.has((error as NodeJS.ErrnoException).code ?? '');
          if (isClosed || !isBroken) throw error;
        }
        await delay(RETRY_MS);
      }
    },
    async close() {
      isClosed = true;
      online.promise.catch(() => undefined);
      online.reject(new Error(`${address} is closed.`));
      const link = current;
      if (link) {
        await Promise.race([link.stop().catch(() => undefined), delay(CLOSES_WITHIN_MS)]);
        destroy(link);
      }
      await running;
    },
  };
}

function destroy({ socket }: Link): void {
  (socket as unknown as { socket?: { destroy(): void } | null } | null)?.socket?.destroy();
}

/** @returns the answer's payload. @throws StanzaError of the library, with its condition */
export async function ask(
  link: Link,
  type: 'get' | 'set',
  to: string | null,
  payload: Element,
): Promise<Element | null> {
  const iq = xml('iq', { type, ...(to !== null && { to }), id: randomUUID() }, payload);
  const asked = link.iqCaller.request(iq, ANSWER_MS);
  // The library waits for the sending first: until then an answer that is an error would count as unhandled.
  const { handlers } = link.iqCaller as unknown as { handlers: Map<string, { promise: Promise<unknown> }> };
  handlers.get(iq.attrs['id'] as string)?.promise.catch(() => undefined);
  const answer = await asked;
  return (answer.getChildElements()[0] as Element | undefined) ?? null;
}

/** Resolves when the server has done all that it was sent before. */
export const settled = (link: Link): Promise<unknown> =>
  ask(link, 'get', null, xml('ping', { xmlns: 'urn:xmpp:ping' }));
