/** The port that the server listens on: the check before a start, and the messages for a port that cannot be used. */
import { once } from 'node:events';
import { createServer } from 'node:net';
import { type Config, ConfigError } from '../platform/config/config.ts';

/**
 * Checks that the server can listen on HOST and PORT. A start checks this before it opens or creates a database, which
 * can take many seconds. Another program can still take the port in between, so `listen` reports the same errors.
 * @throws ConfigError when the port is in use, not permitted, or HOST is not an address of this machine
 */
export async function assertPortAvailable(config: Pick<Config, 'HOST' | 'PORT'>): Promise<void> {
  const probe = createServer();
  try {
    probe.listen({ host: config.HOST, port: config.PORT });
    await once(probe, 'listening');
  } catch (error) {
    throw describeListenError(error as NodeJS.ErrnoException, config);
  }
  probe.close();
  await once(probe, 'close');
}

/** Returns a ConfigError that names the setting to change, or the error itself when no setting is at fault. */
export function describeListenError(
  error: NodeJS.ErrnoException,
  { HOST, PORT }: Pick<Config, 'HOST' | 'PORT'>,
): Error {
  switch (error.code) {
    case 'EADDRINUSE':
      return new ConfigError(
        `PORT ${PORT} is in use on ${HOST}. Stop the program that uses it, or set another PORT.`,
      );
    case 'EACCES':
      return new ConfigError(`This user is not allowed to use PORT ${PORT}. Set a PORT above 1023.`);
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new ConfigError(`HOST ${HOST} is not an address of this machine.`);
    default:
      return error;
  }
}
