/**
 * An XMPP server for tests that says what no good one does: each connection goes by a script, which reads what the client
 * wrote so far and writes whatever bytes it likes.
 */
import net, { type AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export const HEADER = `<?xml version='1.0'?><stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams' id='1' from='bad.test' version='1.0'>`;
const SASL = 'urn:ietf:params:xml:ns:xmpp-sasl';

export interface Line {
  readonly socket: net.Socket;
  /** What the client has said since the last call, up to the end of the match. Rejects when it is gone. */
  until(pattern: RegExp): Promise<string>;
  say(text: string | Buffer): void;
  /** Resolves once the client has ended the connection. */
  readonly gone: Promise<void>;
}

export type Script = (line: Line) => Promise<void>;

export interface ScriptedServer {
  port: number;
  /** Connections so far. */
  count(): number;
  /** What the scripts failed of; not that the client went. */
  faults: unknown[];
}

class Gone extends Error {}

/** Ends with the test. */
export async function startScriptedServer(script: Script): Promise<ScriptedServer> {
  const sockets = new Set<net.Socket>();
  const faults: unknown[] = [];
  let count = 0;
  const server = net.createServer((socket) => {
    count += 1;
    sockets.add(socket);
    script(toLine(socket)).catch((error: unknown) => {
      if (!(error instanceof Gone)) faults.push(error);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, count: () => count, faults };
}

function toLine(socket: net.Socket): Line {
  let said = '';
  let isGone = false;
  let wake = (): void => undefined;
  const gone = Promise.withResolvers<void>();
  socket.on('error', () => undefined);
  socket.on('data', (chunk: Buffer) => {
    said += chunk.toString('latin1');
    wake();
  });
  socket.on('close', () => {
    isGone = true;
    gone.resolve();
    wake();
  });
  return {
    socket,
    gone: gone.promise,
    async until(pattern) {
      for (;;) {
        const found = pattern.exec(said);
        if (found) {
          const end = found.index + found[0].length;
          const before = said.slice(0, end);
          said = said.slice(end);
          return before;
        }
        if (isGone) throw new Gone('The client is gone.');
        await new Promise<void>((resolve) => (wake = resolve));
      }
    },
    say: (text) => void socket.write(text),
  };
}

export const features = (inside: string): string => `<stream:features>${inside}</stream:features>`;
export const mechanisms = (...names: string[]): string =>
  `<mechanisms xmlns='${SASL}'>${names.map((name) => `<mechanism>${name}</mechanism>`).join('')}</mechanisms>`;
export const STARTTLS = "<starttls xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>";
export const success = (text = ''): string => `<success xmlns='${SASL}'>${text}</success>`;
export const challenge = (text: string): string =>
  `<challenge xmlns='${SASL}'>${Buffer.from(text).toString('base64')}</challenge>`;

/** What a good server says until the client is in: PLAIN in the clear, no stream management. */
export async function letIn(line: Line, jid = 'ada@bad.test'): Promise<void> {
  await line.until(/<stream:stream[^>]*>/);
  line.say(HEADER + features(mechanisms('PLAIN')));
  await line.until(/<auth.*<\/auth>/);
  line.say(success());
  await line.until(/<stream:stream[^>]*>/);
  line.say(HEADER + features("<bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'/>"));
  const [, resource] = /<resource>([^<]*)<\/resource>/.exec(await line.until(/<\/iq>/)) ?? [];
  line.say(
    `<iq type='result' id='open-bind'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'><jid>${jid}/${resource}</jid></bind></iq>`,
  );
}
