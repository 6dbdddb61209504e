/**
 * Mails that mail libraries ship to test themselves: MAIL_SAMPLES_DIR names the directory in which CONTRIBUTING.md says how
 * to unpack them. They are not copied, because one of the packages is under the EUPL.
 */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = process.env['MAIL_SAMPLES_DIR'];

/** For `needs`. */
export const MAIL_SAMPLES = 'mails of other libraries, in the directory that MAIL_SAMPLES_DIR names';
export const HAS_MAIL_SAMPLES = FOLDER !== undefined && existsSync(FOLDER);

export const readMailSamples = (): { name: string; source: Buffer }[] =>
  globSync('**/*.eml', { cwd: FOLDER! })
    .toSorted()
    .map((name) => ({ name, source: readFileSync(join(FOLDER!, name)) }));
