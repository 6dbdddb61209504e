/**
 * The long form of the embedded database's crash test: `node bench/soak-embedded.ts [kills]` (50). Prints a table,
 * and ends with 1 when a row was lost, a start failed, a process was left over, or fsync was off.
 */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { killRounds } from '../test/support/embedded-postgres/kill-rounds.ts';

const kills = Number(process.argv[2] ?? 50);
const folder = mkdtempSync(join(tmpdir(), 'fairlead-soak-'));
chmodSync(folder, 0o755); // as root, PostgreSQL runs as nobody, who must get there
try {
  const report = await killRounds(join(folder, 'data'), kills, Math.random, (line) => console.error(line));
  const starts = report.starts.toSorted((a, b) => a - b);
  console.log(
    '| kills | rows acknowledged | lost | failed starts | processes left over | fsync | start after a kill, median / longest |',
  );
  console.log('| --- | --- | --- | --- | --- | --- | --- |');
  console.log(
    `| ${report.kills} | ${report.acknowledged} | ${report.lost} | ${report.failedStarts} | ${report.leftOver} | ${report.fsync} | ${starts[starts.length >> 1] ?? '–'} / ${starts.at(-1) ?? '–'} ms |`,
  );
  const sound = report.lost + report.failedStarts + report.leftOver === 0 && report.fsync === 'on';
  process.exitCode = sound && report.acknowledged > 0 ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
