/** HTTP by hand: the bytes of a request as they are, and those of the answer; for what no client would send. */
import net from 'node:net';

export interface RawAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** Reads the answers out of bytes that a connection gave. Bodies must have a Content-Length. */
function parseAnswers(bytes: Buffer): RawAnswer[] {
  const answers: RawAnswer[] = [];
  let rest = bytes;
  for (;;) {
    const end = rest.indexOf('\r\n\r\n');
    if (end < 0) return answers;
    const [first = '', ...lines] = rest.subarray(0, end).toString('latin1').split('\r\n');
    const headers = Object.fromEntries(
      lines.map((line) => {
        const colon = line.indexOf(':');
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
      }),
    );
    const length = Number(headers['content-length'] ?? 0);
    const start = end + 4;
    answers.push({
      status: Number(first.split(' ')[1]),
      headers,
      body: rest.subarray(start, start + length).toString(),
    });
    rest = rest.subarray(start + length);
  }
}

const FIRST_MS = 5_000;

export interface RawResult {
  answers: RawAnswer[];
  /** Whether the server ended the connection. */
  closed: boolean;
}

/**
 * Sends bytes and gathers what comes back until the server closes, or for `waitMs` after the last byte of it.
 * @param base origin of the server
 */
export function sendRaw(base: string, bytes: string | Buffer, waitMs = 150): Promise<RawResult> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = net.connect(Number(new URL(base).port), '127.0.0.1');
    let timer: NodeJS.Timeout;
    const finish = (closed: boolean): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve({ answers: parseAnswers(Buffer.concat(chunks)), closed });
    };
    const wait = (ms: number): void => {
      clearTimeout(timer);
      timer = setTimeout(() => finish(false), ms);
    };
    socket.on('data', (chunk) => {
      chunks.push(chunk);
      wait(waitMs);
    });
    socket.on('close', () => finish(true));
    // A server that has refused resets the connection while we still send.
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') reject(error);
    });
    socket.on('connect', () => socket.write(bytes));
    wait(FIRST_MS);
  });
}
