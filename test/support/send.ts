/** A plain HTTP caller that sends what it is told: any path, any header, any bytes; unlike `fetch`, which mends them. */
import http from 'node:http';

export interface Sent {
  method?: string;
  /** As it goes into the request line. */
  path: string;
  headers?: Record<string, string | string[]>;
  body?: string | Buffer;
}

export interface Received {
  status: number;
  headers: http.IncomingHttpHeaders;
  text: string;
  /** The body where it is JSON, else the text. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into any answer
  body: any;
  ms: number;
}

/** How much of a stream that doesn't end by itself is read. */
const STREAM_MS = 300;

const agent = new http.Agent({ keepAlive: true, maxSockets: 8 });

/** @throws Error when no whole answer comes within `timeoutMs` */
export function send(
  base: string,
  { method = 'GET', path, headers, body }: Sent,
  timeoutMs = 10_000,
): Promise<Received> {
  const { hostname, port } = new URL(base);
  const ownLength = body !== undefined && !headers?.['content-length'] && !headers?.['transfer-encoding'];
  const startedAt = performance.now();
  return new Promise((resolve, reject) => {
    const request = http.request(
      {
        host: hostname,
        port,
        method,
        path,
        headers: { ...headers, ...(ownLength ? { 'content-length': String(Buffer.byteLength(body)) } : {}) },
        agent,
        timeout: timeoutMs,
      },
      (response) => {
        const chunks: Buffer[] = [];
        const finish = (): void => {
          const text = Buffer.concat(chunks).toString();
          const isJson = /json/.test(response.headers['content-type'] ?? '');
          resolve({
            status: response.statusCode!,
            headers: response.headers,
            text,
            body: isJson && text ? JSON.parse(text) : text,
            ms: performance.now() - startedAt,
          });
        };
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', finish);
        if (!response.headers['content-type']?.startsWith('text/event-stream')) return;
        const leave = setTimeout(() => {
          response.off('error', reject);
          response.destroy();
          finish();
        }, STREAM_MS);
        response.on('end', () => clearTimeout(leave));
      },
    );
    request.on('timeout', () =>
      request.destroy(new Error(`no answer within ${timeoutMs} ms: ${method} ${path.slice(0, 200)}`)),
    );
    request.on('error', reject);
    request.end(body);
  });
}
