/** The operator's command: `fairlead restore --help`. Implemented in src/ops/backup/. */
import { processTerminal } from '../ops/command/command.ts';
import { runRestore } from '../ops/backup/run-restore.ts';

process.exitCode = await runRestore(process.argv.slice(2), process.env, processTerminal());
