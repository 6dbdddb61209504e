/**
 * Many Telegram bots that poll, on one node: `node bench/soak-telegram-many.ts [bots [seconds]]` (1000, 60), against an
 * emulator of the Bot API. What they take in memory and CPU, idle for so many seconds; then each receives and sends one
 * message. Prints a table, and ends with 1 when any was lost or doubled.
 */
import { telegramMany } from '../test/support/channels/telegram/telegram-many.ts';
import { temporaryFolder } from '../test/support/temporary-folder.ts';
import { markdownTable } from './support/figure.ts';

const bots = Number(process.argv[2] ?? 1000);
const idleMs = Number(process.argv[3] ?? 60) * 1000;
await using folder = await temporaryFolder();
const report = await telegramMany(folder.path, bots, { idleMs, report: (line) => console.error(line) });
const [before, after] = report.memory;
const inSeconds = (ms: number): string => (ms / 1000).toFixed(1);
console.log(
  markdownTable(
    [
      'bots',
      'MB before, after',
      'kB for each',
      'all connected after, s',
      'idle CPU: server, all processes',
      'received',
      'all stored after, s',
      'sent',
    ],
    [
      [
        report.bots,
        `${before.toFixed(0)}, ${after.toFixed(0)}`,
        (((after - before) * 1000) / report.bots).toFixed(0),
        inSeconds(report.connectedMs),
        report.idleCpu.map((share) => `${(share * 100).toFixed(1)} %`).join(', '),
        report.stored,
        inSeconds(report.storedMs),
        report.sent,
      ],
    ],
  ),
);
process.exitCode = report.stored === bots && report.sent === bots ? 0 : 1;
