/** Receivers of deliveries for tests: HTTP servers on loopback that remember what came. */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Received {
  headers: IncomingHttpHeaders;
  body: string;
  /** performance.now() of its arrival. */
  at: number;
}

/** What is answered: a status, more of it, or null for never. */
export type Reaction = number | Full | null;

interface Full {
  status: number;
  headers?: Record<string, string>;
  body?: string;
}

const plain = (status: number): Full => ({ status });

export interface Receiver {
  url: string;
  received: Received[];
  /** The IDs of the events that came, in the order in which they did. */
  ids(): string[];
  react: (received: Received) => Reaction | Promise<Reaction>;
  close(): Promise<void>;
}

export async function startReceiver(react: Receiver['react'] = () => 200, port = 0): Promise<Receiver> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const one = { headers: request.headers, body: Buffer.concat(chunks).toString(), at: performance.now() };
      received.push(one);
      void Promise.resolve(receiver.react(one)).then((reaction) => {
        if (reaction === null) return;
        const { status, headers, body } = typeof reaction === 'number' ? plain(reaction) : reaction;
        response.writeHead(status, headers).end(body);
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    ids: () => received.map(({ headers }) => String(headers['webhook-id'])),
    react,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return receiver;
}
