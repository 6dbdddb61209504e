/**
 * Serializes upgrades when many nodes start together: checking for pending migrations, backup and migration hold an
 * advisory lock. The lock belongs to a transaction, so it is released when its holder dies, or after the timeout of
 * database.ts when the holder freezes; a frozen holder then finds that it lost the lock and checks again.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Database } from './database.ts';

const TURN_LOCK = 0x7570_6772;
const POLL_MS = 250;
/** Often enough that a transaction which only holds the lock is no frozen one. */
const BEAT_MS = 4_000;

interface Turn {
  /** Checked before each attempt: another process may have finished the upgrade. */
  isNeeded: () => Promise<boolean>;
  /** Called once if another process holds the lock. */
  onWait: (() => void) | undefined;
}

/**
 * @param db a way without a transaction pooler, with one connection beside those that `work` takes.
 * @param work gets a function that throws once the turn is lost; all of it is begun again then.
 * @returns what `work` returned, or null where it was not needed (any more).
 */
export async function withUpgradeLock<T>(
  db: Database,
  { isNeeded, onWait }: Turn,
  work: (stillMine: () => Promise<void>) => Promise<T>,
): Promise<T | null> {
  for (let tries = 0; await isNeeded(); tries += 1) {
    let isLost = false;
    const turn = db.transaction().execute(async (tx) => {
      const { rows } = await sql<{ mine: boolean }>`
        select pg_try_advisory_xact_lock(${sql.lit(TURN_LOCK)}, 0) as mine
      `.execute(tx);
      if (!rows[0]!.mine) return null;
      const beat = async (): Promise<void> => void (await sql`select 1`.execute(tx));
      const beating = setInterval(() => void beat().catch(() => undefined), BEAT_MS);
      const stillMine = (): Promise<void> =>
        beat().catch((error: unknown) => {
          isLost = true;
          throw error;
        });
      try {
        return { result: await work(stillMine) };
      } finally {
        clearInterval(beating);
      }
    });
    const had = await turn.catch((error: unknown) => {
      if (isLost) return null;
      throw error;
    });
    if (had) return had.result;
    if (tries === 0) onWait?.();
    await delay(POLL_MS);
  }
  return null;
}
