/** Owns the process: settings, start, signals, stop. What runs in it is composed in app.ts; start.js leads here. */
import cluster from 'node:cluster';
import { readConfig, settingsHelp } from './config.ts';

if (process.argv.includes('--help') || process.argv.includes('-h')) {
  console.log(`Fairlead. Settings come from the environment:\n\n${settingsHelp()}`);
  process.exit(0);
}

const USERS_OWN = new Set(['ConfigError', 'EmbeddedDatabaseError', 'SchemaError']);

/** Faults that are the user's to mend are told in their own words; others keep their stack. */
function fail(error: unknown): never {
  const { name, message, stack } = error as Error;
  console.error(USERS_OWN.has(name) ? message : stack);
  process.exit(1);
}

try {
  const config = readConfig(process.env);
  if (cluster.isPrimary) await (await import('./primary.ts')).runPrimary(config);
  else await (await import('./worker.ts')).runWorker(config);
} catch (error) {
  fail(error);
}
