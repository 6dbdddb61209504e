/** The operator's command: `fairlead move --help`. What it does is in src/move/. */
import { processTerminal } from './admin/command.ts';
import { runMoveCommand } from './move/run.ts';

process.exitCode = await runMoveCommand(process.argv.slice(2), process.env, processTerminal());
