/**
 * Decrypted configurations of webhooks, cached in memory. An entry is valid while claims carry the same version of the
 * webhook, and for a minute at most, because an old secret stops signing by the clock.
 */
import { LRUCache } from 'lru-cache';
import type { SecretBox } from '../../../platform/crypto/secret-box.ts';
import type { Database } from '../../../platform/db/database.ts';
import { openConfig, type SealedConfig, type WebhookConfig } from './webhook-secret.ts';
import type { Claimed } from './claim.system-store.ts';
import { loadConfigs } from './load.system-store.ts';
import { currentTime } from '../../../platform/time/clock.ts';

const TTL_MS = 60_000;
const MAX_ENTRIES = 10_000;

export interface ReceiverConfigs {
  /**
   * Returns the configurations by webhook ID, without deleted and disabled webhooks, and an error for each that cannot
   * be decrypted. Runs at most one statement.
   */
  of(claimed: Claimed[]): Promise<Map<string, WebhookConfig | Error>>;
}

export function createReceiverConfigs(db: Database, secrets: SecretBox): ReceiverConfigs {
  const cache = new LRUCache<string, { version: number; config: WebhookConfig }>({
    max: MAX_ENTRIES,
    ttl: TTL_MS,
  });
  const open = (row: SealedConfig): WebhookConfig | Error => {
    try {
      return openConfig(secrets, row, currentTime());
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    }
  };
  return {
    async of(claimed) {
      const found = new Map<string, WebhookConfig | Error>();
      const missing = new Map<string, Claimed>();
      for (const one of claimed) {
        const cached = cache.get(one.receiver_id);
        if (cached?.version === one.config_version) found.set(one.receiver_id, cached.config);
        else missing.set(one.receiver_id, one);
      }
      if (missing.size)
        for (const [id, row] of await loadConfigs(db, [...missing.values()])) {
          const config = open(row);
          found.set(id, config);
          if (!(config instanceof Error)) cache.set(id, { version: missing.get(id)!.config_version, config });
        }
      return found;
    },
  };
}
