/** A way to a server for one account alone, which can be cut, or go silent with the connections still there. */
import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';

export interface Door {
  port: number;
  /** Ends all connections at once. */
  cut(): void;
  /** From now on what either side says does not arrive. */
  mute(): void;
  close(): void;
}

export async function openIngress(host: string, port: number): Promise<Door> {
  const sockets = new Set<net.Socket>();
  const server = net.createServer((near) => {
    const far = net.connect(port, host);
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket);
      socket.setNoDelay();
      socket
        .on('error', () => other.destroy())
        .on('close', () => {
          sockets.delete(socket);
          other.destroy();
        });
      socket.pipe(other);
    }
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    cut,
    mute() {
      for (const socket of sockets) socket.unpipe().removeAllListeners('data').resume();
    },
    close() {
      cut();
      server.close();
    },
  };
}
