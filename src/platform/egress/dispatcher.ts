/**
 * undici's Agent with sockets from the guard: HTTP/1.1, keep-alive, no redirects, limited connections per origin. An
 * origin without connections and requests is dropped, so thousands of receivers leave nothing behind.
 */
import type net from 'node:net';
import { Agent, Client, type Dispatcher, Pool } from 'undici';
import type { Connect } from './connect.ts';
import { type EgressError, toEgressError } from '../addresses/egress-error.ts';
import { Exchange } from './exchange.ts';

export interface PoolLimits {
  /** Connections to one origin (scheme, host, port) at a time. Further requests wait. */
  connectionsPerOrigin: number;
  /** For look-up, connecting and TLS. */
  connectTimeoutMs: number;
  /** For how long an unused connection is kept, where the receiver does not say less. */
  keepAliveMs: number;
  /** While there are as many connections as this, they are closed after one request: many origins must not take all files. */
  keptConnections: number;
}

const POLICY = {
  allowH2: false,
  pipelining: 1,
  maxHeaderSize: 16 * 1024,
  // Receivers may promise to keep a connection for hours; it is not worth holding.
  keepAliveMaxTimeout: 60_000,
};

/** A client with one connection at a time and a known peer. */
class GuardedClient extends Client {
  private readonly connection: { peer: string | null };

  constructor(
    origin: URL,
    options: Client.Options,
    connect: Connect,
    timeoutMs: number,
    onOpen: (socket: net.Socket) => void,
  ) {
    const connection: { peer: string | null } = { peer: null };
    super(origin, {
      ...options,
      connect({ hostname, port, protocol }, callback) {
        const secure = protocol === 'https:';
        connect({
          host: hostname,
          port: port === '' ? (secure ? 443 : 80) : Number(port),
          // The name of the URL, not undici's `servername`, which a Host header would set.
          tls: secure ? { ALPNProtocols: ['http/1.1'] } : undefined,
          timeoutMs,
        }).then(
          (socket) => {
            connection.peer = socket.remoteAddress ?? null;
            onOpen(socket);
            callback(null, socket);
          },
          (error: EgressError) => {
            connection.peer = error.remoteAddress;
            callback(error, null);
          },
        );
      },
    });
    this.connection = connection;
  }

  get peer(): string | null {
    return this.connection.peer;
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    if (handler instanceof Exchange) {
      // One that expired in the queue of the pool must not cost a connection.
      if (handler.settled) return true;
      handler.client = this;
    }
    return super.dispatch(options, handler);
  }
}

export function createDispatcher(connect: Connect, limits: PoolLimits) {
  const pools = new Map<Pool, URL>();
  let connections = 0;
  const count = (socket: net.Socket): void => {
    connections += 1;
    socket.once('close', () => (connections -= 1));
  };
  const openPool = (origin: URL | string, options: object): Dispatcher => {
    const pool = new Pool(origin, {
      ...options,
      ...POLICY,
      connections: limits.connectionsPerOrigin,
      keepAliveTimeout: limits.keepAliveMs,
      factory: (url, clientOptions) =>
        new GuardedClient(url, clientOptions, connect, limits.connectTimeoutMs, count),
    });
    pools.set(pool, new URL(origin));
    // The agent closes a pool at these, when nothing is left in it.
    const forget = (): void => void setImmediate(() => pool.closed && pools.delete(pool));
    pool.on('disconnect', forget).on('connectionError', forget);
    return pool;
  };
  const agent = new Agent({ ...POLICY, factory: openPool });
  const dropUnused = (): void => {
    for (const [pool, origin] of pools) {
      const { connected, size } = pool.stats;
      if (connected === 0 && size === 0) pool.emit('disconnect', origin, [pool], toEgressError({}));
    }
  };

  return {
    agent,
    /** Starts an exchange; the promise settles when it ends. */
    dispatch(options: Dispatcher.DispatchOptions, exchange: Exchange): void {
      const reset = connections >= limits.keptConnections;
      agent.dispatch(reset ? { ...options, reset } : options, exchange);
      // It was refused for its shape. Its pool will never see a connection end, which is when the agent looks.
      if (exchange.settled) dropUnused();
    },
    get connections(): number {
      return connections;
    },
    /** How many origins are held, for tests and metrics. */
    get origins(): number {
      return pools.size;
    },
    async destroy(): Promise<void> {
      await agent.destroy(toEgressError({ code: 'UND_ERR_DESTROYED' }));
      pools.clear();
    },
  };
}
