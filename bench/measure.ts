/**
 * Measures one figure: `node bench/measure.ts <name> [--quick]`. Prints its table and, unless `--quick`, keeps it in
 * docs/benchmarks.md. Ends with 1 where a target is missed; with `--quick`, only where that target holds at any speed.
 */
import { parseArgs } from 'node:util';
import { markdown } from './support/figure.ts';
import { FIGURES } from './support/figures.ts';
import { keepFigure } from './support/keep-figure.ts';
import { machine, today } from './support/machine.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: 'boolean', default: false } },
});
const [name = ''] = positionals;
const { quick } = values;
const bench = await FIGURES[name]!();
const figure = await bench({ quick, tell: (line) => console.error(line) });
const text = `${markdown(figure)}\n\nMeasured ${today()}: ${machine()}.`;
console.log(`${text}\n`);
if (!quick) keepFigure(name, text);
const missed = figure.targets.filter(({ met, always = false }) => !met && (always || !quick));
process.exitCode = missed.length ? 1 : 0;
