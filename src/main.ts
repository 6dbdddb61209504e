/** Owns the process: settings, start, signals, stop. What runs in it is composed in app.ts. */
import cluster from 'node:cluster';
import { enableCompileCache } from 'node:module';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 24 || (major === 24 && minor < 7)) {
  console.error(
    `Fairlead needs Node 24.7 or newer; this is ${process.version}. Run it with "npm start", which uses the Node that "npm install" brings, or install Node 24.`,
  );
  process.exit(1);
}
enableCompileCache();

const { readConfig, settingsHelp } = await import('./config.ts');
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
