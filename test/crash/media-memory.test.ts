/** A large file goes through the server, never into it: the short form of `npm run bench media`. */
import { expect, test } from 'vitest';
import { startS3 } from '../support/s3-server.ts';
import { needs } from '../support/needs.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { getRise } from '../support/media-memory.ts';
import { startProduct } from '../support/product.ts';

const LINUX = needs('Linux', process.platform === 'linux');
const MAX_MB = 20;

test.each(['a folder', 'S3'])(
  'a file of 60 MB raises the memory of the server by less than 20, with media in %s',
  { timeout: 240_000, ...LINUX },
  async (where) => {
    await using folder = await temporaryFolder();
    await using s3 = where === 'S3' ? await startS3() : null;
    const env: Record<string, string> = s3 ? { S3_URL: s3.url() } : {};
    const product = await startProduct({ dataDir: folder.path, env });
    try {
      const { upload, download } = await getRise(product, 60e6);
      expect(upload.megabytes).toBeLessThan(MAX_MB);
      expect(download.megabytes).toBeLessThan(MAX_MB);
    } finally {
      await product.stop();
    }
  },
);
