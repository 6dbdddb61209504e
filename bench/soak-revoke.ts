/**
 * Keys revoked under load: `node bench/soak-revoke.ts [rounds]` (10 of each kind). Prints a table, and ends with 1
 * when anything succeeded too late.
 */
import { temporaryFolder } from '../test/support/temporary-folder.ts';
import { LIMIT_MS } from '../test/support/revocation.ts';
import { revocationScenarios } from '../test/support/revocation-scenarios.ts';
import { markdownTable } from './support/figure.ts';

const rounds = Number(process.argv[2] ?? 10);
await using folder = await temporaryFolder();
const results = await revocationScenarios({
  folder: folder.path,
  rounds,
  stoppedMs: 5000,
  report: (line) => console.error(line),
});
const longest = (values: number[]): string => String(Math.max(...values));
console.log(
  markdownTable(
    [
      '',
      'keys revoked',
      'calls',
      'last success, ms after',
      'last stream ended, ms after',
      `later than ${LIMIT_MS} ms`,
    ],
    results.map(({ scenario, rounds: done }) => [
      scenario,
      done.length,
      done.reduce((sum, { calls }) => sum + calls, 0),
      longest(done.map(({ lastSuccessMs }) => lastSuccessMs)),
      longest(done.map(({ streamsEndedMs }) => streamsEndedMs)),
      done.flatMap(({ faults }) => faults).length,
    ]),
  ),
);
const faults = results.flatMap(({ scenario, rounds: done }) =>
  done.flatMap((round) => round.faults.map((fault) => `${scenario}: ${fault}`)),
);
for (const fault of faults) console.error(fault);
process.exitCode = faults.length ? 1 : 0;
