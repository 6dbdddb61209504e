/** Files on loopback: what a channel gives us by URL, and what we give it. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Readable } from 'node:stream';
import type { OutboundMessage } from '../../../src/channels/contract/connection.ts';

export interface FileServer extends AsyncDisposable {
  /** @returns the URL that serves the bytes */
  serve(open: () => Promise<Readable> | Readable, mimeType: string): string;
  /** The message with a URL of its file that works, as the engine signs one. */
  withFileUrl(message: OutboundMessage): OutboundMessage;
  /** A URL that accepts requests and never answers. */
  silentUrl: string;
}

export async function startFileServer(): Promise<FileServer> {
  const files = new Map<string, { open: () => Promise<Readable> | Readable; mimeType: string }>();
  const server = createServer((request, response) => {
    if (request.url!.startsWith('/silent')) return;
    const file = files.get(request.url!);
    if (!file) {
      response.writeHead(404).end();
      return;
    }
    void (async () => {
      response.writeHead(200, { 'content-type': file.mimeType, connection: 'close' });
      (await file.open()).pipe(response);
    })();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const serve: FileServer['serve'] = (open, mimeType) => {
    const path = `/${randomUUID()}`;
    files.set(path, { open, mimeType });
    return base + path;
  };
  return {
    serve,
    silentUrl: `${base}/silent`,
    withFileUrl(message) {
      const { file } = message.content;
      if (!file) return message;
      const url = serve(() => file.open(), file.mimeType);
      return { ...message, content: { ...message.content, file: { ...file, url } } };
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
