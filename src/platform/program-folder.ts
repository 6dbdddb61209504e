/** Where the program lies on disk. */
import { findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';

/** The folder of package.json, found from the sources and from the bundle alike. */
const PROGRAM_FOLDER = dirname(findPackageJSON(import.meta.url)!);

/** Where `npm run build` leaves the console. */
export const CONSOLE_FOLDER = join(PROGRAM_FOLDER, 'dist/console');

/** Where `npm run build` leaves the API reference. */
export const REFERENCE_FOLDER = join(PROGRAM_FOLDER, 'dist/reference');
