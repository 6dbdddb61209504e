/**
 * `last_used_*` of keys: kept in memory and written about once a second, so that a call waits for nothing. The one
 * thing here that a crash may lose, a second of it.
 */
import { isIP } from 'node:net';
import type { KeyActor } from './actor.ts';
import type { Database } from '../../platform/db/database.ts';
import { saveKeyUsage, type Use } from './key-usage.system-store.ts';
import { currentMs } from '../../platform/time/clock.ts';

export interface KeyUsageRecorder {
  touch(actor: KeyActor, ip: string, operation: string): void;
  /** Writes pending uses. */
  stop(): Promise<void>;
}

export const FLUSH_EVERY_MS = 750;

export function startKeyUsage(db: Database, onError: (error: unknown) => void): KeyUsageRecorder {
  let uses = new Map<string, Use>();
  let flushing: Promise<void> | null = null;

  const flush = async (): Promise<void> => {
    if (!uses.size) return;
    const batch = [...uses.values()].sort((a, b) => (a.keyId < b.keyId ? -1 : 1));
    uses = new Map();
    await saveKeyUsage(db, batch);
  };
  const flushOnce = (): Promise<void> =>
    (flushing ??= flush()
      .catch(onError)
      .finally(() => {
        flushing = null;
      }));
  const timer = setInterval(() => void flushOnce(), FLUSH_EVERY_MS);
  timer.unref();

  return {
    touch({ keyId, workspaceId }, from, operation) {
      const bare = from.split('%', 1)[0]!; // the zone of a link-local address
      const ip = isIP(bare) ? bare : null;
      const use = uses.get(keyId);
      if (use) {
        use.at = currentMs();
        use.ip = ip;
        use.operation = operation;
      } else uses.set(keyId, { keyId, workspaceId, at: currentMs(), ip, operation });
    },
    async stop() {
      clearInterval(timer);
      await flushOnce();
      await flushOnce();
    },
  };
}
