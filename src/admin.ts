/** The operator's command: `fairlead admin --help`. What it does is in src/admin/. */
import { runAdmin } from './admin/run.ts';
import { processTerminal } from './admin/terminal.ts';

process.exitCode = await runAdmin(process.argv.slice(2), process.env, processTerminal(process));
