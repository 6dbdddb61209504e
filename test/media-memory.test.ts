/** A large file goes through the server, never into it: the short form of `npm run bench media`. */
import { expect, test } from 'vitest';
import { needs } from '../src/testing/needs.ts';
import { temporaryFolder } from '../src/testing/temporary-folder.ts';
import { riseOf } from './support/media-memory.ts';
import { startProduct } from './support/product.ts';

const LINUX = needs('Linux', process.platform === 'linux');
const MOST_MB = 20;

test(
  'a file of 60 MB raises the memory of the server by less than 20',
  { timeout: 60_000, ...LINUX },
  async () => {
    await using folder = await temporaryFolder();
    const product = await startProduct({ dataDir: folder.path });
    try {
      const { upload, download } = await riseOf(product, 60e6);
      expect(upload.megabytes).toBeLessThan(MOST_MB);
      expect(download.megabytes).toBeLessThan(MOST_MB);
    } finally {
      await product.stop();
    }
  },
);
