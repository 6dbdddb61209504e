/**
 * `npm run bench [-- --quick] [figures…]`: measures, prints a table for each figure and keeps it in
 * docs/benchmarks.md with the date and the machine. `--quick` only shows that everything runs: nothing is kept.
 */
import { parseArgs } from 'node:util';
import { ensureAllBuilt } from '../scripts/build/bundles.js';
import { analytics } from './figures/analytics.ts';
import { clicks } from './figures/clicks.ts';
import { connections } from './figures/connections.ts';
import { consoleSize } from './figures/console-size.ts';
import { deliveryIsolation } from './figures/delivery-isolation.ts';
import { deliveryLatency } from './figures/delivery-latency.ts';
import { deliveryRate } from './figures/delivery-rate.ts';
import { linkClicked } from './figures/link-clicked.ts';
import { links } from './figures/links.ts';
import { linkLists } from './figures/link-lists.ts';
import { me } from './figures/me.ts';
import { media } from './figures/media.ts';
import { messages } from './figures/messages.ts';
import { publish } from './figures/publish.ts';
import { messaging } from './figures/messaging.ts';
import { memory } from './figures/memory.ts';
import { redirects } from './figures/redirects.ts';
import { start } from './figures/start.ts';
import { templates } from './figures/templates.ts';
import { type Bench, markdown } from './support/figure.ts';
import { keepFigure } from './support/keep-figure.ts';
import { machine, today } from './support/machine.ts';

const FIGURES: Record<string, Bench> = {
  clicks,
  me,
  messages,
  publish,
  messaging,
  links,
  'link-lists': linkLists,
  redirects,
  'link-clicked': linkClicked,
  analytics,
  'delivery-latency': deliveryLatency,
  'delivery-rate': deliveryRate,
  'delivery-isolation': deliveryIsolation,
  templates,
  start,
  memory,
  connections,
  media,
  'console-size': consoleSize,
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: 'boolean', default: false } },
});
const names = positionals.length ? positionals : Object.keys(FIGURES);
const unknown = names.filter((name) => !(name in FIGURES));
if (unknown.length) {
  console.error(`No figure ${unknown.join(', ')}; there are ${Object.keys(FIGURES).join(', ')}`);
  process.exit(1);
}

// A start builds what is missing, which is no part of any figure.
const tell = { info: (message: string) => console.error(message) };
await ensureAllBuilt(tell);

let missed = 0;
for (const name of names) {
  const figure = await FIGURES[name]!({ quick: values.quick, tell: (line) => console.error(line) });
  const text = `${markdown(figure)}\n\nMeasured ${today()}: ${machine()}.`;
  console.log(`${text}\n`);
  if (!values.quick) keepFigure(name, text);
  missed += figure.targets.filter(({ met }) => !met).length;
}
if (missed) {
  console.error(`${missed} missed`);
  process.exitCode = 1;
}
