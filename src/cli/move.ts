/** The operator's command: `fairlead move --help`. Implemented in src/ops/move/. */
import { processTerminal } from '../ops/command/command.ts';
import { runMoveCommand } from '../ops/move/run.ts';

process.exitCode = await runMoveCommand(process.argv.slice(2), process.env, processTerminal());
