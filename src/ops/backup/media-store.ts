/** Opens an installation's media store for commands, without its jobs and database. */
import { join } from 'node:path';
import type { Config } from '../../platform/config/config.ts';
import { createLocalFiles } from '../../surfaces/messaging/media/local-files.ts';
import type { MediaFiles } from '../../surfaces/messaging/media/media-files.ts';
import { createS3Files } from '../../surfaces/messaging/media/s3-files.ts';
import { createS3Client } from '../../platform/storage/s3/s3-client.ts';

/** Opens the store at S3_URL, or the folder in DATA_DIR. The caller must close it. */
export function mediaStore({ DATA_DIR, S3_URL }: Pick<Config, 'DATA_DIR' | 'S3_URL'>): MediaFiles {
  const folder = join(DATA_DIR, 'media');
  if (!S3_URL) return createLocalFiles(folder);
  return createS3Files({
    client: createS3Client(S3_URL),
    spool: join(folder, 'incoming'),
    log: { warn: () => undefined }, // errors are thrown instead
    abandoned: async () => undefined,
  });
}
