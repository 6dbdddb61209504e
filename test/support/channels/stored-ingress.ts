/**
 * The engine's side of `POST /channels/{token}` for the conformance suite, in memory: verified parts are stored once, then
 * the request is answered, then the open connection of the account receives them in order until it succeeds.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { Connection } from '../../../src/channels/contract/connection.ts';
import type { Driver, DriverContext } from '../../../src/channels/contract/driver.ts';
import type { IngressPart } from '../../../src/channels/contract/ingress.ts';
import type { Json } from '../../../src/channels/contract/json.ts';

interface Account {
  settings: Json;
  credentials: Json;
}
interface Inbox {
  account: Account;
  parts: IngressPart[];
  seen: Set<string>;
  connection: Connection | null;
  work: Promise<void>;
}

export interface StoredIngress extends AsyncDisposable {
  /** Opens connections of the driver with their ingress URL, and gives them what is stored. */
  open(context: DriverContext): Promise<Connection>;
  url(instanceId: string): string;
  /** Number of stored parts that no connection has received yet. */
  waiting(instanceId: string): number;
}

export async function startStoredIngress(driver: Driver): Promise<StoredIngress> {
  const inboxes = new Map<string, Inbox>();
  const deliver = (inbox: Inbox): void => {
    inbox.work = inbox.work.then(async () => {
      const { connection } = inbox;
      const [part] = inbox.parts;
      if (!connection || !part) return;
      try {
        await connection.receive([part], new AbortController().signal);
      } catch {
        // It is kept for the next connection, as after a crash.
        if (inbox.connection === connection) inbox.connection = null;
        return;
      }
      inbox.parts.shift();
      deliver(inbox);
    });
  };

  /** Stores each part for the account that it names. @returns the accounts that have a part */
  const store = (own: Inbox, parts: readonly IngressPart[]): Inbox[] =>
    parts.flatMap((part) => {
      const isMeant = ({ account }: Inbox): boolean =>
        driver.ingress!.shared?.accountKey(account.settings) === part.accountKey;
      const targets = part.accountKey === null ? [own] : [...inboxes.values()].filter(isMeant);
      for (const { seen, parts: stored } of targets)
        if (!seen.has(part.id)) {
          seen.add(part.id);
          stored.push(part);
        }
      return targets;
    });

  const server = createServer((request, response) => {
    void (async () => {
      const body = await buffer(request);
      const url = new URL(request.url!, base);
      const inbox = inboxes.get(url.pathname.slice('/channels/'.length));
      const answer = (status: number, type: string, text: string): void =>
        void response.writeHead(status, { 'content-type': type, connection: 'close' }).end(text);
      if (!inbox || !['GET', 'POST'].includes(request.method!) || body.length > driver.ingress!.maxBytes)
        return answer(404, 'text/plain', 'not found');
      const outcome = driver.ingress!.receive(
        {
          method: request.method as 'GET' | 'POST',
          url: url.href,
          query: url.searchParams,
          headers: request.headers as Record<string, string>,
          body,
          at: new Date(),
        },
        inbox.account,
      );
      if (outcome.kind === 'refused') {
        const status = outcome.code === 'invalid_request' ? 400 : 401;
        return answer(status, 'application/problem+json', JSON.stringify(outcome));
      }
      const targets = outcome.kind === 'accepted' ? store(inbox, outcome.parts) : [];
      const { status = 200, contentType = 'text/plain', body: text = '' } = outcome.answer ?? {};
      answer(status, contentType, text);
      targets.forEach(deliver);
    })();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const url = (instanceId: string): string => `${base}/channels/${instanceId}`;

  return {
    url,
    waiting: (instanceId) => inboxes.get(instanceId)?.parts.length ?? 0,
    async open(context) {
      const { instanceId, settings, credentials } = context;
      const inbox = inboxes.get(instanceId) ?? {
        account: { settings, credentials },
        parts: [],
        seen: new Set(),
        connection: null,
        work: Promise.resolve(),
      };
      inboxes.set(instanceId, inbox);
      const connection = await driver.open({ ...context, ingressUrl: url(instanceId) });
      inbox.connection = connection;
      deliver(inbox);
      return {
        ...connection,
        async close() {
          if (inbox.connection === connection) inbox.connection = null;
          await connection.close();
        },
      };
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
