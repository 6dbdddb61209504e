/**
 * `npm run soak [-- names… [--amount n | --quick]]`: the long forms of what the tests try in short, one after the other, each
 * to its end. Ends with 1 when one of them found a fault.
 *
 * `--quick` runs each in its shortest form, those with options of their own too, and ends one that takes too long.
 * `npm run soak -- fill …` fills an installation with real amounts, `npm run soak -- all …` puts all surfaces under load at
 * once: their files say how.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { temporaryFolder } from '../test/support/temporary-folder.ts';
import { runBounded } from './support/bounded.ts';

interface Soak {
  /** What `--amount` counts. */
  amount: string;
  /** Arguments of the shortest form. */
  quick: readonly string[];
}

const SOAKS: Record<string, Soak> = {
  clicks: {
    amount: 'kills of the whole product while its short links are followed, with each CLICK_SYNC',
    quick: ['2'],
  },
  'click-outage': {
    amount: 'seconds that the database is stopped, then frozen, while short links are followed',
    quick: ['3'],
  },
  journal: {
    amount: 'kills of a process that records clicks, with each CLICK_SYNC and each kind of disk',
    quick: ['3'],
  },
  embedded: { amount: 'kills of the embedded database under direct writes', quick: ['3'] },
  links: { amount: 'rounds of twenty who ask for one slug at once', quick: ['3'] },
  crash: { amount: 'kills of the whole product under HTTP writes', quick: ['3'] },
  deliveries: { amount: 'kills of the whole product while webhooks are sent to', quick: ['3'] },
  messages: { amount: 'kills of the whole product while the sandbox is sent to', quick: ['3'] },
  publish: { amount: 'kills of the whole product while publishing endpoints are posted to', quick: ['3'] },
  telegram: {
    amount: 'kills of the whole product while Telegram messages are sent and received',
    quick: ['2'],
  },
  whatsapp: {
    amount: 'kills of the whole product while WhatsApp messages are sent and received',
    quick: ['2'],
  },
  http: { amount: 'kills of the whole product while a channel over HTTP is used', quick: ['2'] },
  twilio: { amount: "kills of the whole product while Twilio's emulator is used", quick: ['2'] },
  mail: { amount: 'kills of the whole product while mails are sent and come', quick: ['2'] },
  xmpp: {
    amount: 'kills of the whole product while messages go to and come from Prosody, which is killed too',
    quick: ['2'],
  },
  ejabberd: { amount: 'nothing: the conformance suite of XMPP runs once, on ejabberd', quick: [] },
  'xmpp-many': {
    amount: 'XMPP accounts of one server, which go idle, and whose server is away for a minute',
    quick: ['5', '5'],
  },
  'telegram-many': {
    amount: 'Telegram bots of one node that poll, go idle, and then receive and send a message each',
    quick: ['5', '5'],
  },
  'xmpp-nodes': {
    amount: 'XMPP accounts of a node that is killed, then frozen, beside another',
    quick: ['3', '20'],
  },
  'mail-outage': { amount: 'seconds that the mail servers are away', quick: ['3'] },
  'delivery-order': { amount: 'events that must arrive in the order of their resource', quick: ['1000'] },
  'send-order': {
    amount: 'messages that must arrive in the order of their chat, with every fourth refused for now',
    quick: ['1000'],
  },
  events: { amount: 'seconds that readers follow 8 writers', quick: ['3'] },
  rules: { amount: 'kills of the whole product while rules run', quick: ['2'] },
  'model-budgets': {
    amount: 'kills while 200 calls at once use a budget of 10; before them 2.5 times as many rounds without',
    quick: ['2'],
  },
  'model-calls': {
    amount: 'kills while model calls use budgets in US dollars, on one server, then on two',
    quick: ['2'],
  },
  'model-hung': {
    amount: 'minutes that 1,000 calls of 1 MB wait at a model provider that never responds',
    quick: ['0.3'],
  },
  'model-streams': { amount: 'minutes that 500 model calls stream', quick: ['0.3'] },
  failover: {
    amount: 'failures of the primary of a database under Patroni, beside two nodes that are called',
    quick: ['2'],
  },
  revoke: { amount: 'keys revoked in each of eight ways', quick: ['1'] },
  restore: { amount: 'kills of backups, and of restores', quick: ['2'] },
};

/** Soaks with options of their own, which run alone. Name → options of the shortest form, in a folder for what they write. */
const OWN_OPTIONS: Record<string, (folder: string) => string[]> = {
  fill: (folder) => [
    `--data-dir=${join(folder, 'data')}`,
    `--access=${join(folder, 'access.json')}`,
    '--messages=100',
    '--links=50',
    '--clicks=1000',
    '--media-mb=1',
  ],
  all: (folder) => ['--seconds=15', '--alone-seconds=0', '--scale=0.5', `--json=${join(folder, 'all.json')}`],
};

/** Only a short form that hangs takes so long. */
const QUICK_LIMIT_SECONDS = 1_800;

async function run(name: string, args: readonly string[], limitSeconds: number): Promise<boolean> {
  console.log(`\n${name}`);
  const { passed, seconds, output } = await runBounded(
    join(import.meta.dirname, `soak-${name}.ts`),
    args,
    limitSeconds,
  );
  console.log(`${output}${name}: ${seconds.toFixed(0)} s`);
  return passed;
}

const [first, ...rest] = process.argv.slice(2);
if (first !== undefined && first in OWN_OPTIONS && !rest.includes('--quick'))
  process.exit((await run(first, rest, Infinity)) ? 0 : 1);

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { amount: { type: 'string' }, quick: { type: 'boolean', default: false } },
});
const { amount, quick } = values;
const known = { ...SOAKS, ...(quick && OWN_OPTIONS) };
const names = positionals.length ? positionals : Object.keys(known);
const unknown = names.filter((name) => !(name in known));
if (unknown.length || (quick && amount !== undefined)) {
  const lines = Object.entries(SOAKS).map(([name, soak]) => `  ${name}: --amount of ${soak.amount}`);
  const fault = unknown.length ? `No soak ${unknown.join(', ')}` : '--amount does not go with --quick';
  console.error(`${fault}; there are\n${lines.join('\n')}`);
  process.exit(1);
}

const failed: string[] = [];
for (const name of names) {
  await using folder = await temporaryFolder('fairlead-soak-');
  const args = quick ? (SOAKS[name]?.quick ?? OWN_OPTIONS[name]!(folder.path)) : amount ? [amount] : [];
  if (!(await run(name, args, quick ? QUICK_LIMIT_SECONDS : Infinity))) failed.push(name);
}
console.log(failed.length ? `\nFailed: ${failed.join(', ')}` : '\nNo faults');
process.exitCode = failed.length ? 1 : 0;
