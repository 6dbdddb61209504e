/** Backup and restore, killed at random moments. The long form is `npm run soak -- restore`. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { freePort, startProduct } from '../support/product.ts';
import { restoreRounds } from '../support/restore-rounds.ts';

test(
  'a backup or restore that is killed leaves nothing that passes for whole, and is run again',
  { timeout: 300_000 },
  async () => {
    await using folder = await temporaryFolder();
    const dataDir = join(folder.path, 'data');
    const product = await startProduct({ dataDir, port: await freePort() });
    await product.stop();
    const report = await restoreRounds({ dataDir, folder: folder.path, kills: 1, random: Math.random });
    expect(report).toMatchObject({ backupsKilled: 1, halfFiles: 0, halfInstallations: 0, failed: [] });
    expect(report.restoresKilled).toBeGreaterThan(0);
  },
);
