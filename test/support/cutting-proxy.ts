/** A way to a server that breaks off in the midst of something. */
import { once } from 'node:events';
import net from 'node:net';

export interface CuttingProxy {
  port: number;
  /**
   * Breaks off the first connection on which so many bytes have gone one way, once.
   * @param meanwhile is done at that moment, before the connection ends
   */
  cutAfter(way: 'up' | 'down', bytes: number, meanwhile?: () => Promise<void>): void;
  /** How often it has broken off. */
  cuts(): number;
  stop(): Promise<void>;
}

export async function startCuttingProxy(targetPort: number): Promise<CuttingProxy> {
  const open = new Set<net.Socket>();
  let plan: { way: 'up' | 'down'; bytes: number; meanwhile?: () => Promise<void> } | null = null;
  let cuts = 0;
  const server = net.createServer((socket) => {
    const onward = net.connect(targetPort, '127.0.0.1');
    const end = (): void => {
      socket.destroy();
      onward.destroy();
    };
    for (const one of [socket, onward]) {
      open.add(one);
      one.on('error', () => undefined).on('close', () => (open.delete(one), end()));
    }
    const count = (way: 'up' | 'down') => {
      let passed = 0;
      return (chunk: Buffer): void => {
        passed += chunk.length;
        if (plan?.way !== way || passed < plan.bytes) return;
        const { meanwhile } = plan;
        plan = null;
        cuts += 1;
        void Promise.resolve(meanwhile?.()).finally(end);
      };
    };
    socket.on('data', count('up')).pipe(onward).on('data', count('down')).pipe(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as net.AddressInfo).port,
    cutAfter: (way, bytes, meanwhile) => void (plan = { way, bytes, meanwhile }),
    cuts: () => cuts,
    async stop() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
}
