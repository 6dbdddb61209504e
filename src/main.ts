/** Owns the process: settings, start, signals, stop. What runs in it is composed in app/create-app.ts. */
import cluster from 'node:cluster';
import packageJson from '../package.json' with { type: 'json' };
import { readConfig, settingsHelp } from './platform/config/config.ts';

const HELP = `Fairlead ${packageJson.version}

Usage: fairlead              Starts the server.
       fairlead --restart    Starts it again after a crash, too; for a
                             terminal, where nothing else does.
       fairlead COMMAND      Runs an operator's command; --help explains it:
                             admin, backup, restore, move, rotate-secret.
       fairlead --version

Settings come from the environment:

${settingsHelp()}`;

if (process.argv.includes('--version')) {
  console.log(packageJson.version);
  process.exit(0);
}
if (process.argv.includes('--help') || process.argv.includes('-h')) {
  console.log(HELP);
  process.exit(0);
}

const USERS_OWN = new Set(['ConfigError', 'EmbeddedDatabaseError', 'ForeignJournalsError', 'SchemaError']);

/** Status of a process that ended by a fault, which is started again (bin/fairlead). */
const CRASHED = 70;
/** A refusal is for the person who starts the server. Once it ran, the reason passes, as where the database is away. */
const wasRestarted = Number(process.env['FAIRLEAD_RESTARTS'] ?? 0) > 0;

/** Prints the message of errors that the user can fix, and the stack of all others. */
function fail(error: unknown): never {
  const { name, message, stack } = error as Error;
  const isRefusal = USERS_OWN.has(name);
  console.error(isRefusal ? message : stack);
  process.exit(isRefusal && !wasRestarted ? 1 : CRASHED);
}

process.on('uncaughtException', (error: unknown) => {
  console.error(error);
  process.exit(CRASHED);
});

try {
  const config = readConfig(process.env);
  if (cluster.isPrimary) await (await import('./app/primary.ts')).runPrimary(config);
  else await (await import('./app/worker.ts')).runWorker(config);
} catch (error) {
  fail(error);
}
