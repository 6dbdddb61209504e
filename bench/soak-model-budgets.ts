/**
 * The long form of the test of budgets under parallel calls: `node bench/soak-model-budgets.ts [kills]` (20), and 2.5 times
 * as many rounds without a kill. Leases of killed servers end by time. Ends with 1 when a budget was exceeded, or a
 * reservation stayed.
 */
import { budgetRounds, CALLS, getErrors, LIMIT } from '../test/support/models/budget-rounds.ts';
import { temporaryFolder } from '../test/support/temporary-folder.ts';
import { markdownTable } from './support/figure.ts';

const ROUNDS_PER_KILL = 2.5;

const kills = Number(process.argv[2] ?? 20);
await using folder = await temporaryFolder();
const report = await budgetRounds({
  folder: folder.path,
  rounds: Math.ceil(kills * ROUNDS_PER_KILL),
  kills,
  random: Math.random,
  endLeases: false,
  report: (line) => console.error(line),
});
const rows = [false, true].map((killed) => {
  const rounds = report.rounds.filter((round) => round.killed === killed);
  const sum = (status: number): number =>
    rounds.reduce((total, { statuses }) => total + (statuses[status] ?? 0), 0);
  const retries = rounds.reduce((total, round) => total + round.retries, 0);
  const most = Math.max(...rounds.map(({ received }) => received));
  return [killed ? 'with a kill' : 'without', rounds.length, sum(200), sum(402), sum(0), retries, most];
});
console.log(`${CALLS} calls at once on a budget of ${LIMIT} over two servers; again after a kill`);
console.log(
  markdownTable(
    ['rounds', 'number', 'passed', '402', 'broken off', '503, tried again', 'most received by the provider'],
    rows,
  ),
);
console.log(`interrupted calls: ${report.interrupted}; open calls at the end: ${report.open}`);
const faults = getErrors(report);
for (const fault of faults) console.error(fault);
process.exitCode = faults.length ? 1 : 0;
