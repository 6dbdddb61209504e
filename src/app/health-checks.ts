/** What `/readyz` of a serving process looks at. */
import { sql } from 'kysely';
import type { Epoch } from '../core/auth/epoch.ts';
import type { EventLog } from '../core/events/event-log.ts';
import type { HealthDeps } from './health.routes.ts';
import type { ClickLoading } from '../surfaces/links/clicks/click-ingestion.ts';
import type { RedirectService } from '../surfaces/links/redirect-service.ts';
import type { MediaFiles } from '../surfaces/messaging/media/media-files.ts';
import type { Messaging } from '../surfaces/messaging/messaging.ts';
import type { DiskWatch } from '../platform/storage/disk-watch.ts';
import type { DeliveryEngine } from '../core/webhooks/delivery/delivery-engine.ts';

export function healthChecks(parts: {
  epoch: Pick<Epoch, 'refresh' | 'db'>;
  eventLog: Pick<EventLog, 'partitions'>;
  deliveries: Pick<DeliveryEngine, 'check'>;
  messaging: Pick<Messaging, 'check'>;
  media: { files: Pick<MediaFiles, 'check'> };
  storage: Pick<DiskWatch, 'check'>;
  /** Null in processes that follow no links. */
  following: RedirectService | null;
  loading: ClickLoading | null;
}): Required<Pick<HealthDeps, 'checks' | 'sharedChecks'>> {
  const { epoch, eventLog, deliveries, messaging, storage, following, loading } = parts;
  const { files } = parts.media;
  return {
    checks: {
      // One that takes no writes (it is being moved, or is a standby) is still read, and short links go on.
      database: async (): Promise<'ok' | 'degraded'> => {
        await epoch.refresh();
        const { rows } = await sql<{ read_only: boolean }>`
          select current_setting('transaction_read_only')::boolean as read_only
        `.execute(epoch.db);
        return rows[0]!.read_only ? 'degraded' : 'ok';
      },
      storage: storage.check,
      ...(files.check ? { media: files.check } : {}),
      ...(following ? { redirects: following.check } : {}),
      ...(loading ? { clicks: loading.check } : {}),
    },
    sharedChecks: {
      partitions: () => eventLog.partitions.check(),
      deliveries: () => deliveries.check(),
      connections: messaging.check,
    },
  };
}
