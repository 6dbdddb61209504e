/** The operator's command: `fairlead restore --help`. What it does is in src/backup/. */
import { processTerminal } from './admin/command.ts';
import { runRestore } from './backup/run-restore.ts';

process.exitCode = await runRestore(process.argv.slice(2), process.env, processTerminal());
