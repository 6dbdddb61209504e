/** The operator's command: `fairlead backup --help`. Implemented in src/ops/backup/. */
import { processTerminal } from '../ops/command/command.ts';
import { runBackup } from '../ops/backup/run-backup.ts';

process.exitCode = await runBackup(process.argv.slice(2), process.env, processTerminal());
