/**
 * How to send for each webhook, opened and kept in memory. What is kept counts while a claim tells the same version of
 * the receiver, and a minute at most, because an old secret stops signing by the clock.
 */
import type { SecretBox } from '../../../platform/crypto/secret-box.ts';
import type { Database } from '../../../platform/db/database.ts';
import { openConfig, type SealedConfig, type WebhookConfig } from '../webhook-secret.ts';
import type { Claimed } from './claim.system-store.ts';
import { loadConfigs } from './load.system-store.ts';
import { currentTime } from '../../../platform/time/clock.ts';

const KEPT_MS = 60_000;
const MAX_KEPT = 10_000;

interface Kept {
  version: number;
  at: number;
  config: WebhookConfig;
}

export interface ReceiverConfigs {
  /**
   * By webhook; without those that are gone or disabled, and an error for one that can't be opened, which must not keep
   * the others from being sent. One statement where anything isn't known.
   */
  of(claimed: Claimed[]): Promise<Map<string, WebhookConfig | Error>>;
}

export function createReceiverConfigs(db: Database, secrets: SecretBox): ReceiverConfigs {
  const kept = new Map<string, Kept>();
  const open = (row: SealedConfig): WebhookConfig | Error => {
    try {
      return openConfig(secrets, row, currentTime());
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    }
  };
  return {
    async of(claimed) {
      const now = performance.now();
      const found = new Map<string, WebhookConfig | Error>();
      const missing = new Map<string, Claimed>();
      for (const one of claimed) {
        const known = kept.get(one.receiver_id);
        if (known && known.version === one.config_version && now - known.at < KEPT_MS)
          found.set(one.receiver_id, known.config);
        else missing.set(one.receiver_id, one);
      }
      if (missing.size)
        for (const [id, row] of await loadConfigs(db, [...missing.values()])) {
          const config = open(row);
          found.set(id, config);
          if (config instanceof Error) continue;
          kept.delete(id);
          kept.set(id, { version: missing.get(id)!.config_version, at: now, config });
          if (kept.size > MAX_KEPT) kept.delete(kept.keys().next().value!);
        }
      return found;
    },
  };
}
