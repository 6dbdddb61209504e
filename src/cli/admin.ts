/** The operator's command: `fairlead admin --help`. Implemented in src/cli/admin/. */
import { runAdmin } from './admin/run.ts';
import { processTerminal } from '../ops/command/terminal.ts';

process.exitCode = await runAdmin(process.argv.slice(2), process.env, processTerminal(process));
