/**
 * The long form of the click journal's crash test: `node bench/soak-journal.ts [kills]` (50). Prints a table, and ends
 * with 1 when a click that was acknowledged is lost or read twice, or the test itself could not see a loss.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { killWriters } from '../test/support/links/clicks/journal-kills.ts';

const kills = Number(process.argv[2] ?? 50);
const CASES = [
  { sync: 'write', lossy: false },
  { sync: 'fdatasync', lossy: false },
  { sync: 'fdatasync', lossy: true },
  { sync: 'write', lossy: true },
] as const;

console.log(
  '| CLICK_SYNC | disk loses what is not synced | kills | acknowledged | lost | doubled | recorded though unanswered, at most at once |',
);
console.log('| --- | --- | --- | --- | --- | --- | --- |');
for (const { sync, lossy } of CASES) {
  const folder = mkdtempSync(join(tmpdir(), 'fairlead-soak-'));
  try {
    const report = await killWriters(folder, { sync, lossy, rounds: kills, longestMs: 1_000 });
    console.log(
      `| ${sync} | ${lossy ? 'yes' : 'no'} | ${report.kills} | ${report.acknowledged} | ${report.lost} | ${report.doubled} | ${report.unanswered}, ${report.maxUnanswered} |`,
    );
    const mayLose = lossy && sync === 'write';
    const isSound = report.doubled + report.damagedBytes === 0 && !report.tooMany;
    if (!isSound || mayLose !== report.lost > 0 || report.acknowledged === 0) process.exitCode = 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
