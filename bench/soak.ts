/**
 * `npm run soak [-- names… [--amount n]]`: the long forms of what the tests try in short, one after the other, each
 * to its end, then `nightly`. Ends with 1 when one of them found a fault.
 *
 * `npm run soak -- nightly` runs every test, on the embedded database and on the system's PostgreSQL.
 *
 * `npm run soak -- fill …` fills an installation with real amounts, `npm run soak -- all …` puts all surfaces under load at
 * once: their files say how.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

/** Name → what `--amount` counts there. */
const SOAKS: Record<string, string> = {
  clicks: 'kills of the whole product while its short links are followed, with each CLICK_SYNC',
  'click-outage': 'seconds that the database is stopped, then frozen, while short links are followed',
  journal: 'kills of a process that records clicks, with each CLICK_SYNC and each kind of disk',
  embedded: 'kills of the embedded database under direct writes',
  links: 'rounds of twenty who ask for one slug at once',
  crash: 'kills of the whole product under HTTP writes',
  deliveries: 'kills of the whole product while webhooks are sent to',
  messages: 'kills of the whole product while the sandbox is sent to',
  publish: 'kills of the whole product while publishing endpoints are posted to',
  mail: 'kills of the whole product while mails are sent and come',
  xmpp: 'kills of the whole product while messages go to and come from Prosody, which is killed too',
  ejabberd: 'nothing: the conformance suite of XMPP runs once, on ejabberd',
  'xmpp-many': 'XMPP accounts of one server, which go idle, and whose server is away for a minute',
  'xmpp-nodes': 'XMPP accounts of a node that is killed, then frozen, beside another',
  'mail-outage': 'seconds that the mail servers are away',
  'delivery-order': 'events that must arrive in the order of their resource',
  'send-order': 'messages that must arrive in the order of their chat, with every fourth refused for now',
  events: 'seconds that readers follow 8 writers',
  rules: 'kills of the whole product while rules run',
  revoke: 'keys revoked in each of eight ways',
  restore: 'kills of back-ups, and of restores',
};

/** Those that take options of their own, by which alone they are called. */
const OWN_OPTIONS = ['all', 'fill', 'nightly'];

function run(name: string, args: readonly string[]): boolean {
  const program = join(import.meta.dirname, `soak-${name}.ts`);
  return spawnSync(process.execPath, [program, ...args], { stdio: 'inherit' }).status === 0;
}

const [first, ...rest] = process.argv.slice(2);
if (first !== undefined && OWN_OPTIONS.includes(first)) process.exit(run(first, rest) ? 0 : 1);

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { amount: { type: 'string' } },
});
const names = positionals.length ? positionals : Object.keys(SOAKS);
const unknown = names.filter((name) => !(name in SOAKS));
if (unknown.length) {
  const known = Object.entries(SOAKS).map(([name, amount]) => `  ${name}: --amount of ${amount}`);
  console.error(`No soak ${unknown.join(', ')}; there are\n${known.join('\n')}`);
  process.exit(1);
}

const failed: string[] = [];
for (const name of names) {
  console.log(`\n${name}`);
  if (!run(name, values.amount === undefined ? [] : [values.amount])) failed.push(name);
}
if (positionals.length === 0 && !run('nightly', [])) failed.push('nightly');
console.log(failed.length ? `\nFailed: ${failed.join(', ')}` : '\nNo faults');
process.exitCode = failed.length ? 1 : 0;
