/**
 * Appends clicks, 20 at once, until it is killed: `journal-writer.ts <data folder> <write|fdatasync> <first number>`.
 * Prints the ID of its journal, then the number of each click that is acknowledged, a line each.
 */
import { writeSync } from 'node:fs';
import { Registry } from 'prom-client';
import { createClickJournal } from '../../../../src/surfaces/links/clicks/click-journal.ts';
import { getClick } from './journal-clicks.ts';

const [dataDir, sync, first] = process.argv.slice(2);
const fail = (details: object, message: string): never => {
  throw new Error(message, { cause: details });
};
const journal = await createClickJournal({
  dataDir: dataDir!,
  sync: sync as 'write' | 'fdatasync',
  log: { warn: fail, error: fail },
  registry: new Registry(),
});
writeSync(1, `${journal.id}\n`);

let at = Number(first);
function one(): void {
  const mine = at++;
  journal.append(getClick(mine), (error) => {
    if (error) throw error;
    writeSync(1, `${mine}\n`);
    one();
  });
}
for (let lane = 0; lane < 20; lane++) one();
