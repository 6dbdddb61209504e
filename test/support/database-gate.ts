/** A TCP way to the embedded database that can be shut: whoever is inside is thrown out, nobody new gets in. */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import type { ConnectionSettings } from '../../src/platform/embedded-postgres/embedded.ts';

export interface Door {
  port: number;
  shut(): void;
  reopen(): void;
  close(): Promise<void>;
}

export async function openIngress({ host, port }: ConnectionSettings): Promise<Door> {
  const inside = new Set<Socket>();
  let isShut = false;
  const server = createServer({ noDelay: true }, (outer) => {
    if (isShut) {
      outer.destroy();
      return;
    }
    const inner = connect(`${host}/.s.PGSQL.${port}`);
    for (const [from, to] of [
      [outer, inner],
      [inner, outer],
    ] as const) {
      inside.add(from);
      from.pipe(to);
      // Either end ends both; what broke them is of no interest here.
      from.on('error', () => to.destroy());
      from.on('close', () => {
        inside.delete(from);
        to.destroy();
      });
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const throwOut = (): void => {
    for (const socket of inside) socket.destroy();
  };
  return {
    port: (server.address() as { port: number }).port,
    shut() {
      isShut = true;
      throwOut();
    },
    reopen() {
      isShut = false;
    },
    async close() {
      server.close();
      throwOut();
      await once(server, 'close');
    },
  };
}
