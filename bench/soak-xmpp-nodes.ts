/**
 * Two servers on one database with XMPP accounts: `node bench/soak-xmpp-nodes.ts [accounts [seconds]]` (10, 60). The one that
 * holds them is killed, and in a second run frozen for so many seconds. Prints a table, and ends with 1 when anything was lost or doubled.
 */
import { temporaryFolder } from '../test/support/temporary-folder.ts';
import { xmppNodes } from '../test/support/xmpp-nodes.ts';
import { markdownTable } from './support/figure.ts';

const accounts = Number(process.argv[2] ?? 10);
const frozenMs = Number(process.argv[3] ?? 60) * 1000;
const rows: (string | number)[][] = [];
for (const how of ['killed', { frozenMs }] as const) {
  await using folder = await temporaryFolder();
  const report = await xmppNodes(folder.path, accounts, how);
  const [first, last] = [Math.min(...report.takenOver), Math.max(...report.takenOver)];
  rows.push([
    how === 'killed' ? 'killed' : `frozen for ${how.frozenMs / 1000} s`,
    report.accounts,
    `${(first / 1000).toFixed(1)}, ${(last / 1000).toFixed(1)}`,
    report.acknowledged,
    report.arrived,
    report.doubled,
    report.failed,
    report.spoken,
    report.stored,
    report.storedTwice,
  ]);
  const isFaulty =
    report.arrived < report.acknowledged ||
    report.stored < report.spoken ||
    report.doubled + report.storedTwice + report.failed > 0;
  if (isFaulty) process.exitCode = 1;
}
console.log(
  markdownTable(
    [
      'holder',
      'accounts',
      'taken over: first, last, s',
      'acknowledged',
      'arrived',
      'doubled',
      'failed',
      'sent to them',
      'stored',
      'stored twice',
    ],
    rows,
  ),
);
