/** The operator's command: `fairlead rotate-secret --help`. What it does is in src/secret-rotation/. */
import { processTerminal } from './admin/terminal.ts';
import { runRotateSecret } from './secret-rotation/run.ts';

process.exitCode = await runRotateSecret(process.argv.slice(2), process.env, processTerminal(process));
