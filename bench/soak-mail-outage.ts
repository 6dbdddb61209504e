/**
 * The long form of the test of mail servers that go away: `node bench/soak-mail-outage.ts [seconds]` (60), with 30 accounts.
 * Prints a table, and ends with 1 when anything was lost or doubled.
 */
import { temporaryFolder } from '../test/support/temporary-folder.ts';
import { mailOutage } from '../test/support/mail-outage.ts';
import { markdownTable, median } from './support/figure.ts';

const ACCOUNTS = 30;
const seconds = Number(process.argv[2] ?? 60);
await using folder = await temporaryFolder();
const report = await mailOutage(folder.path, ACCOUNTS, seconds * 1000);
const inSeconds = (ms: number): string => (ms / 1000).toFixed(1);
console.log(
  markdownTable(
    [
      'accounts',
      'servers away, s',
      'connected again: first, median, last s after their return',
      'accepted meanwhile',
      'arrived',
      'doubled',
      'mails to the accounts',
      'stored',
    ],
    [
      [
        report.accounts,
        seconds,
        [Math.min(...report.back), median(report.back), Math.max(...report.back)].map(inSeconds).join(', '),
        report.accepted,
        report.arrived,
        report.doubled,
        report.sentToUs,
        report.stored,
      ],
    ],
  ),
);
process.exitCode =
  report.arrived === report.accepted && report.doubled === 0 && report.stored === report.sentToUs ? 0 : 1;
