/**
 * The first file of every process: brings the bundles up to date in a clone, then loads the server or a command. It is
 * JavaScript, because an installed package runs from a folder where Node strips no types.
 */
import './check-node.js';
import cluster from 'node:cluster';
import { existsSync } from 'node:fs';
import nodeModule from 'node:module';
import { fileURLToPath } from 'node:url';

/** Operator's commands. Without one the server starts. */
const COMMANDS = ['admin', 'backup', 'restore', 'move', 'rotate-secret'];

const inPackage = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));

// Node's cache of compiled code saves a fifth of a start. It lies in the package, because among the system's temporary
// files another user could put code there. Where the package can't be written to, Node goes without.
nodeModule.enableCompileCache({ directory: inPackage('dist/compiled'), portable: true });

const [, , name = ''] = process.argv;
const isCommand = name !== '' && !name.startsWith('-');
if (isCommand && !COMMANDS.includes(name)) {
  console.error(`There is no command ${name}. Commands: ${COMMANDS.join(', ')}. See fairlead --help`);
  process.exit(1);
}
if (isCommand) process.argv.splice(2, 1);

// npx runs commands in a shell that passes no signal on: a SIGTERM would end npx and the shell alone. What starts the server
// again (fairlead --restart) may be killed, and must leave no server that nobody stops.
const supervisor = process.env.FAIRLEAD_SUPERVISOR;
if ((supervisor || process.env.npm_command === 'exec') && cluster.isPrimary) {
  const parent = Number(supervisor || process.ppid);
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    process.kill(process.pid, 'SIGTERM');
  }, 500).unref();
}

// A worker runs the bundle that its primary was started from. An installed package has no sources.
if (cluster.isPrimary && existsSync(inPackage('src'))) {
  const { ensureAllBuilt } = await import('../scripts/build/bundles.js');
  await ensureAllBuilt(console).catch((error) => {
    console.error(`Fairlead could not be built: ${error.message}`);
    process.exit(1);
  });
}
await import(`../dist/server/${isCommand ? name : 'server'}.js`);
