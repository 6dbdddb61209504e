/** A way to the test server that can be cut: what a process sees when its database goes away. */
import net from 'node:net';
import type { PoolOptions } from '../../src/platform/db/database.ts';

export interface DatabaseProxy {
  connection: PoolOptions;
  /** Ends all connections and refuses new ones. */
  cut(): Promise<void>;
  mend(): Promise<void>;
  /** From now on what is sent either way is lost, or no longer is; connections stay open. */
  swallow(now: boolean): void;
  /**
   * Calls `done` once, when a COPY into the database is committed by a connection of that name; the answer is lost.
   * @param name its application_name
   */
  onCommit(name: string, done: () => void): void;
  stop(): Promise<void>;
}

/** @param target connection settings of the real server, by socket folder or by host */
export async function startDatabaseProxy(target: PoolOptions): Promise<DatabaseProxy> {
  const { host = '127.0.0.1', port: targetPort = 5432 } = target;
  let swallows = false;
  let watched: { name: string; done: () => void } | null = null;
  const open = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    const onward = host.startsWith('/')
      ? net.connect(`${host}/.s.PGSQL.${targetPort}`)
      : net.connect(targetPort, host);
    for (const one of [socket, onward]) {
      open.add(one);
      one.on('close', () => {
        open.delete(one);
        socket.destroy();
        onward.destroy();
      });
      // A cut way is what this is for.
      one.on('error', () => undefined);
    }
    let isNamed = false;
    let hasCopied = false;
    const isCommit = (chunk: Buffer): boolean => {
      isNamed ||= watched !== null && chunk.includes(`application_name\0${watched.name}\0`);
      hasCopied ||= isNamed && chunk.includes('from stdin\0');
      return hasCopied && chunk.includes('commit\0');
    };
    let commits = false;
    socket.on('data', (chunk) => {
      commits ||= isCommit(chunk);
      if (!swallows) onward.write(chunk);
    });
    onward.on('data', (chunk) => {
      if (commits && watched !== null) {
        const { done } = watched;
        watched = null;
        swallows = true;
        done();
      }
      if (!swallows) socket.write(chunk);
    });
    socket.on('end', () => onward.end());
    onward.on('end', () => socket.end());
  });
  const listen = (port: number): Promise<void> =>
    new Promise((resolve) => server.listen(port, '127.0.0.1', () => resolve()));
  const cut = async (): Promise<void> => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    for (const socket of open) socket.destroy();
    await closed;
  };
  await listen(0);
  const { port } = server.address() as net.AddressInfo;
  return {
    connection: { ...target, host: '127.0.0.1', port },
    cut,
    mend: () => listen(port),
    swallow: (now) => (swallows = now),
    onCommit: (name, done) => (watched = { name, done }),
    stop: () => (server.listening ? cut() : Promise.resolve()),
  };
}
