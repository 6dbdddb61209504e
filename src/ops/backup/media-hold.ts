/**
 * Prevents media contents from being removed while a backup reads them. Holds an advisory lock on its own connection,
 * which is checked before every removal (messaging/media/backup-hold.store.ts). The lock is taken before the snapshot,
 * so every content that a row in the snapshot refers to stays until the lock is released. Only one backup of media runs
 * at a time.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { openCopyClient } from '../../platform/db/copy/client.ts';
import type { PoolOptions } from '../../platform/db/database.ts';
import { MEDIA_HELD } from '../../surfaces/messaging/media/backup-hold.store.ts';
import { BackupError } from './backup-error.ts';

const POLL_MS = 250;

export interface MediaHold {
  /** @throws BackupError if the lock was lost in the meantime: contents may then be missing */
  assertHeld(): Promise<void>;
  release(): Promise<void>;
}

/** @param onWait called once if another backup holds the lock */
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
