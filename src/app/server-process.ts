/** One serving process: connections to the database, the app on them, the port. */
import type { FastifyBaseLogger } from 'fastify';
import type { AppDeps } from './app-deps.ts';
import { createApp } from './create-app.ts';
import { openSecretBox } from '../platform/crypto/root-secret.ts';
import type { SecretBox } from '../platform/crypto/secret-box.ts';
import { collectOnceIdle } from '../platform/collect-garbage.ts';
import type { Config } from '../platform/config/config.ts';
import {
  type Database,
  directConnection,
  openDatabase,
  openPool,
  type PoolOptions,
} from '../platform/db/database.ts';
import { describeListenError } from './port.ts';
import { connectionName, findServersWithoutKey } from '../ops/secret-rotation/serving.ts';

/**
 * Connections for the epoch, the renewal of actors, the sequencer, the live tail, the sender's cycle, reads, lease and
 * recovery, changes of short links, and links that are not in memory.
 */
const CONTROL_CONNECTIONS = 10;

/**
 * Connections that stay open when idle: on a full disk no new one can be opened, and reads go on by these. An idle one takes
 * 2 to 4 MB.
 */
const KEPT_OPEN = { requests: 4, control: 6 };

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
  const onError = (err: Error): void => log.warn({ err }, 'database: connection lost');
  const secrets = await openSecrets(config, database, log);
  const named = { ...database, application_name: connectionName(secrets) };
  const pool = openPool({ ...named, max: config.DATABASE_POOL, min: KEPT_OPEN.requests }, onError);
  const controlPool = openPool({ ...named, max: CONTROL_CONNECTIONS, min: KEPT_OPEN.control }, onError);
  const direct = directConnection(config, database);
  const closePools = () => Promise.all([pool.end(), controlPool.end()]);
  try {
    const app = await createApp({ config, log, pool, controlPool, direct, secrets, pages: true, ...place });
    await app.server
      .listen({ host: config.HOST, port: config.PORT })
      .catch(async (error: NodeJS.ErrnoException) => {
        await app.stop();
        throw describeListenError(error, config);
      });
    const stopCollecting = collectOnceIdle();
    const address = app.server.server.address();
    return {
      port: typeof address === 'object' && address ? address.port : config.PORT,
      async stop() {
        stopCollecting();
        await app.stop();
        await closePools();
      },
    };
  } catch (error) {
    await closePools();
    throw error;
  }
}

/** @throws ConfigError if the secret does not match the data */
async function openSecrets(
  config: Config,
  database: PoolOptions,
  log: FastifyBaseLogger,
): Promise<SecretBox> {
  const pool = openPool({ ...database, max: 1 }, (err) => log.warn({ err }, 'database: connection lost'));
  try {
    const db = openDatabase(pool);
    const secrets = await openSecretBox(config, db);
    if (secrets.keyIds.length > 1) await tellOfRotation(db, secrets, log);
    return secrets;
  } finally {
    await pool.end();
  }
}

async function tellOfRotation(db: Database, secrets: SecretBox, log: FastifyBaseLogger): Promise<void> {
  log.info('secrets: a second root secret is accepted, rotation in progress');
  const unready = await findServersWithoutKey(db, secrets);
  if (unready.length)
    log.error(
      { servers: unready },
      'secrets: other servers do not accept the secret of this one, set FAIRLEAD_SECRET_ALSO on them',
    );
}
