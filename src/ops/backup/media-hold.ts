/**
 * While a backup reads contents of media, nobody removes any: an advisory lock of its own connection, which whoever
 * removes looks at (messaging/media/backup-hold.store.ts). It is taken before the snapshot, so every content that a row
 * of the snapshot names stays until the lock is given up. One backup of media runs at a time.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { openCopyClient } from '../../platform/db/copy/client.ts';
import type { PoolOptions } from '../../platform/db/database.ts';
import { MEDIA_HELD } from '../../surfaces/messaging/media/backup-hold.store.ts';
import { BackupError } from './backup-error.ts';

const POLL_MS = 250;

export interface MediaHold {
  /** @throws BackupError where the lock was lost on the way: then something may be missing */
  assertHeld(): Promise<void>;
  release(): Promise<void>;
}

/** @param onWait called once where another backup holds it */
export async function holdMedia(
  connection: PoolOptions,
  { signal, onWait }: { signal: AbortSignal | undefined; onWait: () => void },
): Promise<MediaHold> {
  const client = await openCopyClient(connection);
  try {
    for (let tries = 0; ; tries++) {
      const { rows } = await client.query('select pg_try_advisory_lock($1, 0) as mine', [MEDIA_HELD]);
      if (rows[0].mine) break;
      if (tries === 1) onWait();
      await delay(POLL_MS, undefined, { signal });
    }
  } catch (error) {
    await client.end();
    throw error;
  }
  return {
    async assertHeld() {
      await client.query('select 1').catch((error: Error) => {
        throw new BackupError(`The database became unavailable while files were read: ${error.message}`);
      });
    },
    release: () => client.end(),
  };
}
