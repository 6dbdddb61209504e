/** Where the files of media are: in the store of S3_URL, or below DATA_DIR. */
import { join } from 'node:path';
import type { Config } from '../../../platform/config/config.ts';
import type { Units } from '../../../core/unit/unit-of-work.ts';
import type { Log } from '../../../platform/logging/log.ts';
import { createS3Client } from '../../../platform/storage/s3/s3-client.ts';
import { createLocalFiles } from './local-files.ts';
import type { MediaFiles } from './media-files.ts';
import { collectContent } from './media.service.ts';
import { createS3Files } from './s3-files.ts';

export function openMediaFiles(
  { DATA_DIR, S3_URL, STORAGE_RESERVE }: Pick<Config, 'DATA_DIR' | 'S3_URL' | 'STORAGE_RESERVE'>,
  { units, log }: { units: Units; log: Pick<Log, 'warn'> },
): MediaFiles {
  const folder = join(DATA_DIR, 'media');
  const rules = { reserve: STORAGE_RESERVE };
  if (!S3_URL) return createLocalFiles(folder, rules);
  const files: MediaFiles = createS3Files({
    client: createS3Client(S3_URL),
    spool: join(folder, 'incoming'),
    log,
    rules,
    abandoned: (workspaceId, sha256) =>
      units.write((unit) => collectContent(unit, files, workspaceId, sha256)),
  });
  return files;
}
