/** The operator's command: `npm run admin -- --help`. What it does is in src/admin/. */
import { runAdmin } from './admin/run.ts';

process.exitCode = await runAdmin(process.argv.slice(2), process.env, {
  out: (text) => void process.stdout.write(`${text}\n`),
  error: (text) => void process.stderr.write(`${text}\n`),
  input: process.stdin,
});
