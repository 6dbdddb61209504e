/**
 * Fills an installation with amounts as real ones have them: `npm run soak -- fill --data-dir DIR [--messages 100000]
 * [--links 10000] [--clicks 1000000] [--media-mb 1024] [--seed 1] [--access FILE]`.
 *
 * Starts the server on that folder (and DATABASE_URL, FAIRLEAD_SECRET, S3_URL where they are set), fills it through the
 * API, and stops it. Prints how long each part took and how many rows each table has; FILE gets who can sign in, and the
 * keys. What it makes follows from the seed; an installation takes each seed once.
 */
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import {
  fillClickWebhooks,
  fillPublications,
  fillRules,
  fillWebhooks,
  openReceiver,
} from './support/fill/automation.ts';
import { fillClicks } from './support/fill/clicks.ts';
import { countTables } from './support/fill/counts.ts';
import { getAccess, openFillWorld } from './support/fill/fill-world.ts';
import { fillLinks } from './support/fill/links.ts';
import { fillMedia } from './support/fill/media.ts';
import { connectInstances, fillMessages, MESSAGES_LEFT } from './support/fill/messages.ts';
import { fillPeople } from './support/fill/people.ts';
import { markdownTable } from './support/figure.ts';

const { values } = parseArgs({
  options: {
    'data-dir': { type: 'string' },
    messages: { type: 'string', default: '100000' },
    links: { type: 'string', default: '10000' },
    clicks: { type: 'string', default: '1000000' },
    'media-mb': { type: 'string', default: '1024' },
    seed: { type: 'string', default: '1' },
    access: { type: 'string' },
  },
});
function whole(name: 'messages' | 'links' | 'clicks' | 'media-mb' | 'seed', least: number): number {
  const value = Number(values[name]);
  if (!Number.isInteger(value) || value < least) {
    console.error(`--${name} is "${values[name]}"; it must be a whole number from ${least} on`);
    process.exit(1);
  }
  return value;
}
const [messages, links, clicks, megabytes, seed] = [
  whole('messages', 100),
  whole('links', 50),
  whole('clicks', 100),
  whole('media-mb', 1),
  whole('seed', 1),
];
const dataDir = values['data-dir'];
if (!dataDir) {
  console.error('--data-dir names the DATA_DIR that is filled; it is made where it is missing');
  process.exit(1);
}

const report = (line: string): void => console.error(line);
const times: [part: string, seconds: number][] = [];
async function part<T>(name: string, work: () => Promise<T>): Promise<T> {
  const began = performance.now();
  const result = await work();
  const seconds = (performance.now() - began) / 1000;
  times.push([name, seconds]);
  report(`${name}: ${seconds.toFixed(1)} s`);
  return result;
}

// What ends it, and what went wrong while it was cleared up after that, are both told.
process.on('uncaughtException', (error: unknown) => {
  for (let at = error; at !== undefined;) {
    console.error(at instanceof SuppressedError ? at.error : at);
    at = at instanceof SuppressedError ? at.suppressed : undefined;
  }
  process.exit(1);
});

const began = performance.now();
await using receiver = await openReceiver();
await using world = await part('start', () => openFillWorld({ dataDir: resolve(dataDir), seed, report }));
await part('people and keys', () => fillPeople(world));
await part('webhooks', () => fillWebhooks(world, receiver));
const files = await part(`${megabytes} MB of media`, () => fillMedia(world, megabytes));
const instances = await part('instances and rules', async () => {
  const made = await connectInstances(world);
  for (const place of world.places) await fillRules(place, made.get(place)!, receiver);
  return made;
});
const followed = await part(`${links} links`, () => fillLinks(world, links));
await part(`about ${messages} messages accepted`, () => fillMessages(world, instances, files, messages));
await part('publications', () => fillPublications(world, instances, messages));
const drained = () => world.drained('messages, events and runs under way', MESSAGES_LEFT);
await part('what follows from them', drained);
await fillClickWebhooks(followed, receiver);
await part(`${clicks} clicks`, () => fillClicks(world, followed, clicks));
await part('what follows from those', drained);
const counts = await part('counting', () => countTables(world.pool));

console.log(
  markdownTable(
    ['table', 'rows', 'MB'],
    counts.map(({ table, rows, megabytes: size }) => [table, rows.toLocaleString('en'), size.toFixed(1)]),
  ),
);
console.log(
  `\n${((performance.now() - began) / 1000).toFixed(0)} s: ${times.map(([name, seconds]) => `${name} ${seconds.toFixed(0)} s`).join(', ')}`,
);
const access = JSON.stringify(getAccess(world), null, 2);
if (values.access) writeFileSync(values.access, `${access}\n`, { mode: 0o600 });
else console.log(access);
