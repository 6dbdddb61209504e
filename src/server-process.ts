/** One serving process: connections to the database, the app on them, the port. */
import type { FastifyBaseLogger } from 'fastify';
import type { AppDeps } from './app-deps.ts';
import { createApp } from './app.ts';
import { openSecretBox } from './auth/root-secret.ts';
import { type Config, ConfigError } from './config.ts';
import { openDatabase, openPool, type PoolOptions } from './db/database.ts';

/**
 * Epoch, renewals of callers, sequencer, live tail; a turn of the sender, what it reads, its lease and a takeover;
 * changes of short links, and those that are not in memory.
 */
const CONTROL_CONNECTIONS = 10;

export interface ServerProcess {
  /** The port that it listens on (PORT may be 0). */
  port: number;
  stop(): Promise<void>;
}

/** @throws ConfigError when the port can't be taken or the secret is another. */
export async function startServerProcess(
  config: Config,
  database: PoolOptions,
  log: FastifyBaseLogger,
  place: Pick<AppDeps, 'isFirst' | 'gatherMetrics'>,
): Promise<ServerProcess> {
  const onError = (err: Error): void => log.warn({ err }, 'a database connection broke');
  const pool = openPool({ ...database, max: config.DATABASE_POOL }, onError);
  const controlPool = openPool({ ...database, max: CONTROL_CONNECTIONS }, onError);
  const direct = config.DATABASE_DIRECT_URL ? { connectionString: config.DATABASE_DIRECT_URL } : database;
  const closePools = () => Promise.all([pool.end(), controlPool.end()]);
  try {
    const secrets = await openSecretBox(config, openDatabase(controlPool));
    const app = await createApp({ config, log, pool, controlPool, direct, secrets, pages: true, ...place });
    await app.server
      .listen({ host: config.HOST, port: config.PORT })
      .catch(async (error: NodeJS.ErrnoException) => {
        await app.stop();
        throw listenFault(error, config);
      });
    const address = app.server.server.address();
    return {
      port: typeof address === 'object' && address ? address.port : config.PORT,
      async stop() {
        await app.stop();
        await closePools();
      },
    };
  } catch (error) {
    await closePools();
    throw error;
  }
}

function listenFault(error: NodeJS.ErrnoException, { HOST, PORT }: Config): Error {
  switch (error.code) {
    case 'EADDRINUSE':
      return new ConfigError(`PORT ${PORT} is in use on ${HOST}. Stop what uses it, or set another PORT.`);
    case 'EACCES':
      return new ConfigError(`PORT ${PORT} may not be taken by this user. Set a PORT above 1023.`);
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new ConfigError(`HOST ${HOST} is not an address of this machine.`);
    default:
      return error;
  }
}
