/** The operator's command: `fairlead backup --help`. What it does is in src/backup/. */
import { processTerminal } from './admin/command.ts';
import { runBackup } from './backup/run-backup.ts';

process.exitCode = await runBackup(process.argv.slice(2), process.env, processTerminal());
