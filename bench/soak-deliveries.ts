/**
 * The long form of the test of deliveries under kills: `node bench/soak-deliveries.ts [kills]` (50). Prints a table, and
 * ends with 1 when anything was lost, came out of order, or did not end.
 */
import { temporaryFolder } from '../test/support/temporary-folder.ts';
import { deliveryRounds, getErrors } from '../test/support/delivery-rounds.ts';
import { markdownTable, median } from './support/figure.ts';

const kills = Number(process.argv[2] ?? 50);
await using folder = await temporaryFolder();
const report = await deliveryRounds(`${folder.path}/data`, kills, { report: (line) => console.error(line) });
const { server, postmaster, both, start } = report.kills;
console.log(
  markdownTable(
    [
      'kills (server, postmaster, both, while starting)',
      'acknowledged',
      'unanswered, but done',
      'events for webhooks',
      'received',
      'lost',
      'requests',
      'doubles',
      'out of order',
      'retried by the user',
      'next request after a kill, median (longest) ms',
    ],
    [
      [
        `${server + postmaster + both + start} (${server}, ${postmaster}, ${both}, ${start})`,
        report.acknowledged,
        report.unanswered,
        report.wanted,
        report.received,
        report.lost,
        report.requests,
        report.doubles,
        report.misordered,
        report.retried,
        `${median(report.outages).toFixed(0)} (${Math.max(...report.outages).toFixed(0)})`,
      ],
    ],
  ),
);
const faults = getErrors(report);
for (const fault of faults) console.error(fault);
process.exitCode = faults.length ? 1 : 0;
