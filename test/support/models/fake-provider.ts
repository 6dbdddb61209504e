/** A model provider on loopback with an OpenAI-compatible API, whose responses a test sets. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Received {
  method: string;
  url: string;
  headers: IncomingMessage['headers'];
  body: string;
}

export interface FakeProvider {
  /** Base URL, as `http://127.0.0.1:1234/v1`. */
  url: string;
  port: number;
  /** Requests in the order in which they came. */
  received: Received[];
  /** What `GET /models` returns: a body, or a status. */
  list: unknown;
  /** Responds to calls. */
  respond: (request: Received, response: ServerResponse) => void;
  stop(): Promise<void>;
}

export const COMPLETION = {
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1_767_225_600,
  model: 'small',
  choices: [{ index: 0, message: { role: 'assistant', content: 'OK' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 },
};

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

export async function startFakeProvider(): Promise<FakeProvider> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      const received = { method, url, headers, body: Buffer.concat(chunks).toString() };
      fake.received.push(received);
      if (method !== 'GET') fake.respond(received, response);
      else if (typeof fake.list === 'number') sendJson(response, fake.list, { error: { message: 'No.' } });
      else sendJson(response, 200, fake.list);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const fake: FakeProvider = {
    url: `http://127.0.0.1:${port}/v1`,
    port,
    received: [],
    list: {
      object: 'list',
      data: [{ id: 'small', object: 'model', created: 1_700_000_000, owned_by: 'fake' }],
    },
    respond: (_, response) => sendJson(response, 200, COMPLETION),
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
  return fake;
}
