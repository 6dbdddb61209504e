/** Wires up media: files, signed URLs, thumbnails, and their jobs and routes. Holds no logic. */
import type { RunningSurface, SurfaceDeps } from '../../../core/surface.ts';
import { currentTime } from '../../../platform/time/clock.ts';
import { executeFetch, giveUpFetch } from './media-fetch.ts';
import { createMediaUrls } from './media-url.ts';
import { registerMediaDownload } from './media-download.routes.ts';
import { executeCollect, removeContents } from './media-removal.ts';
import { deleteOldMedia } from './media-retention.ts';
import { sweepMedia } from './media-sweep.ts';
import type { MediaServiceDeps } from './media.service.ts';
import { openMediaFiles } from './open-files.ts';
import { createThumbnails } from './thumbnails.ts';

export interface Media extends Required<
  Pick<RunningSurface, 'registerRoutes' | 'registerJobs' | 'eraseFiles' | 'checks' | 'close'>
> {
  deps: MediaServiceDeps;
}

export function createMedia({
  config,
  db,
  units,
  secrets,
  quotas,
  egress,
  getPerson,
  log,
}: SurfaceDeps): Media {
  const files = openMediaFiles(config, { units, log });
  const deps: MediaServiceDeps = { files, urls: createMediaUrls(secrets, config.baseUrl), secrets, quotas };
  const thumbnails = createThumbnails({ log });
  const { dispatcher } = egress;
  return {
    deps,
    registerRoutes(server) {
      registerMediaDownload(server, units.forRequests.read, { ...deps, thumbnails, getPerson });
    },
    registerJobs(jobs) {
      jobs.work(
        'media.fetch',
        (payload, { signal }) => executeFetch({ units, secrets, files, quotas, dispatcher }, payload, signal),
        (payload) => giveUpFetch(units, payload),
      );
      jobs.work('media.collect', (payload) => executeCollect({ units, files }, payload));
      jobs.schedule('media.delete-old', '22 * * * *', (signal) =>
        deleteOldMedia(db, units, files, currentTime(), signal),
      );
      jobs.schedule('media.sweep', '42 3 * * *', (signal) => sweepMedia(units, files, currentTime(), signal));
    },
    eraseFiles: (workspaceId) => removeContents(db, files, workspaceId),
    checks: files.check ? { media: files.check } : {},
    async close() {
      await Promise.all([files.close(), thumbnails.close()]);
    },
  };
}
