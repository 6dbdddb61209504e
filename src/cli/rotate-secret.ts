/** The operator's command: `fairlead rotate-secret --help`. Implemented in src/ops/secret-rotation/. */
import { SEALED_COLUMNS } from '../app/surfaces.ts';
import { processTerminal } from '../ops/command/terminal.ts';
import { runRotateSecret } from '../ops/secret-rotation/run.ts';

process.exitCode = await runRotateSecret(
  process.argv.slice(2),
  SEALED_COLUMNS,
  process.env,
  processTerminal(process),
);
