/**
 * Runs an emulator of a channel's API on loopback: `node emulator.mjs <tools folder> <crabline | emulate> <options as JSON>`.
 * Prints what the emulator reports about itself as one line of JSON when it is ready. Ends when its standard input ends.
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [folder, program, options] = process.argv.slice(2);
const load = (path) => import(pathToFileURL(join(folder, 'node_modules', path)).href);

const START = {
  async crabline(given) {
    const { startCrablineServer } = await load('@openclaw/crabline/dist/src/index.js');
    return (await startCrablineServer(given)).manifest;
  },
  async emulate(given) {
    const { createEmulator } = await load('emulate/dist/api.js');
    return { url: (await createEmulator(given)).url };
  },
};

const about = await START[program](JSON.parse(options));
process.stdout.write(`${JSON.stringify(about)}\n`);
process.stdin.resume().once('end', () => process.exit());
