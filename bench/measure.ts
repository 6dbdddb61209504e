/**
 * Measures one figure: `node bench/measure.ts <name> [--quick | --values FILE [--discard]]`. Prints its table and, unless
 * `--quick` or `--discard`, keeps it in docs/benchmarks.md. `--values` writes what bounds.ts has bounds for to a file.
 *
 * Ends with 1 where a target is missed: with `--quick` only where that target holds at any speed, with `--values` never.
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { markdown } from './support/figure.ts';
import { FIGURES } from './support/figures.ts';
import { keepFigure } from './support/keep-figure.ts';
import { machine, today } from './support/machine.ts';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    values: { type: 'string' },
    discard: { type: 'boolean', default: false },
  },
});
const [name = ''] = positionals;
const { quick, values, discard } = options;
const bench = await FIGURES[name]!();
const figure = await bench({ quick, report: (line) => console.error(line) });
const text = `${markdown(figure)}\n\nMeasured ${today()}: ${machine()}.`;
console.log(`${text}\n`);
if (!quick && !discard) keepFigure(name, text);
if (values !== undefined) writeFileSync(values, JSON.stringify(figure.values ?? {}));
const missed = figure.targets.filter(({ met, always = false }) => !met && (always || !quick));
process.exitCode = missed.length && values === undefined ? 1 : 0;
