/**
 * The conformance suite of XMPP on ejabberd, which `npm test` runs on Prosody: `node bench/soak-ejabberd.ts`. Ends with 1
 * when a case failed or ejabberd is missing.
 */
import { startVitest } from 'vitest/node';
import { Outcome } from '../test/support/outcome.ts';
import { conclusion, isSound } from '../test/support/tally.ts';

const outcome = new Outcome(() => ({}));
const vitest = await startVitest('test', [], {
  run: true,
  watch: false,
  projects: [{ test: { name: 'soak', include: ['test/**/*.soak.ts'], setupFiles: ['test/setup.ts'] } }],
  // No case needs PostgreSQL.
  globalSetup: [],
  reporters: ['default', outcome],
});
await vitest.close();
console.log(`\n${conclusion(outcome.results, [])}`);
process.exit(isSound(outcome.results) ? 0 : 1);
