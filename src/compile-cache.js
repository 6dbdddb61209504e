/**
 * Node's cache of compiled code, in the project: `npm install` fills it (scripts/fill-compile-cache.js), and what a start
 * finds there is neither stripped of its types nor compiled again. It doesn't lie among the system's temporary files,
 * where another user could lay code of theirs.
 *
 * Node keeps it by version and user id, checks each entry against its source, and goes on without it where the folder
 * can't be written. NODE_COMPILE_CACHE names another folder, NODE_DISABLE_COMPILE_CACHE=1 does without.
 */
import nodeModule from 'node:module';
import { fileURLToPath } from 'node:url';

const FOLDER = fileURLToPath(new URL('../dist/compiled', import.meta.url));

/** For what is imported from now on. */
export function useCompileCache() {
  nodeModule.enableCompileCache?.({ directory: FOLDER, portable: true });
}
