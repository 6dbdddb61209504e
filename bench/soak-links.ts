/**
 * The long form of the test of many who ask for one slug: `node bench/soak-links.ts [rounds]` (100), each of twenty
 * creates at once over two processes and two workspaces. Prints a table, and ends with 1 on any fault.
 */
import { AT_ONCE, raceForSlug } from '../test/support/links/slug-race.ts';
import { startTestApp, startWorkspace } from '../test/support/test-app.ts';
import setup from '../test/global-setup.ts';
import { markdownTable } from './support/figure.ts';

const rounds = Number(process.argv[2] ?? 100);
const teardown = await setup();
try {
  const first = await startTestApp();
  const second = await startTestApp({}, first);
  const keys = [(await startWorkspace(first)).key, (await startWorkspace(first)).key];
  const sum = { made: 0, refused: 0 };
  const faults: string[] = [];
  for (let round = 0; round < rounds; round++) {
    const race = await raceForSlug([first, second], keys, `race-${round}`);
    sum.made += race.made;
    sum.refused += race.refused;
    faults.push(...race.faults);
  }
  await second.stop();
  await first.stop();
  console.log(
    markdownTable(
      ['rounds', 'creates', 'created (201)', 'slug taken (409)', 'faults'],
      [[rounds, rounds * AT_ONCE, sum.made, sum.refused, faults.length]],
    ),
  );
  for (const fault of faults) console.error(fault);
  if (faults.length) process.exitCode = 1;
} finally {
  await teardown();
}
