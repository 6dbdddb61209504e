/** Backups and restores of an installation with some data, killed at random moments: test/support/restore-rounds.ts. */
import { mkdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, startProduct } from '../test/support/product.ts';
import { restoreRounds } from '../test/support/restore-rounds.ts';

const kills = Number(process.argv[2] ?? 40);
const folder = join(tmpdir(), `fairlead-soak-restore-${process.pid}`);
await mkdir(folder, { mode: 0o755 });
try {
  const dataDir = join(folder, 'data');
  const product = await startProduct({ dataDir, port: await freePort() });
  await product.stop();
  const report = await restoreRounds({ dataDir, folder, kills, random: Math.random, report: console.log });
  console.log(JSON.stringify(report));
  const { backupsKilled, restoresKilled, halfFiles, halfInstallations, failed } = report;
  const isTried = Math.min(backupsKilled, restoresKilled) >= kills;
  process.exitCode = isTried && halfFiles + halfInstallations + failed.length === 0 ? 0 : 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}
