/** What went wrong when a program of PostgreSQL ended early, read from what it said. */
import { diskFull, EmbeddedDatabaseError } from './errors.ts';
import type { DataDirectory } from './data-directory.ts';

/** Another server of this folder, or what is left of one, is still about to end: worth another try. */
const STILL_ENDING = /lock file ".*" already exists|pre-existing shared memory block|is still in use/;

export class StillEndingError extends EmbeddedDatabaseError {}

const FAULTS: [
  pattern: RegExp,
  message: (directory: DataDirectory, line: string) => string | EmbeddedDatabaseError,
][] = [
  [
    /could not create semaphores|shared memory segment/,
    (_, line) =>
      `PostgreSQL could not get shared memory or semaphores from the system (${line}). Raise those limits (in a container: --shm-size), or set DATABASE_URL.`,
  ],
  [/No space left on device|[Dd]isk quota exceeded/, ({ folder }) => diskFull(folder)],
  [
    /Read-only file system/,
    ({ folder }) =>
      `The file system of ${folder} is read-only, so the embedded database can't start. Choose another folder with DATA_DIR.`,
  ],
  [
    /could not look up effective user ID/,
    ({ account }) =>
      `The user id ${account.uid} has no entry in /etc/passwd, which PostgreSQL needs to create its database. Start Fairlead as a user that has one, or set DATABASE_URL.`,
  ],
  [
    /GLIBC_|error while loading shared libraries|: not found$|exec format error/i,
    (_, line) =>
      `PostgreSQL's programs don't run on this system (${line}). They need glibc 2.27 or newer; set DATABASE_URL to a PostgreSQL 15+ server instead.`,
  ],
  [
    /Permission denied/,
    ({ folder, account }, line) =>
      `PostgreSQL, running as ${account.name}, was refused a file in ${folder} (${line}). Fix its owner or permissions, or choose another folder with DATA_DIR.`,
  ],
];

/**
 * @param ended how the program ended and the last lines that it wrote.
 */
export function toStartError(
  { how, lines }: { how: string; lines: readonly string[] },
  directory: DataDirectory,
): EmbeddedDatabaseError {
  const plain = lines.map((line) => line.replace(/^\[[^\]]*\] ?/, ''));
  const worst = plain.findLast((line) => /(fatal|panic|error): /i.test(line));
  // Before its log is set up PostgreSQL speaks without severity, in several lines.
  const line =
    (
      worst ??
      plain
        .filter((text) => !/^\t|LOG: /.test(text))
        .join(' ')
        .slice(0, 400)
    ).trim() || `it ended with ${how}`;
  if (plain.some((text) => STILL_ENDING.test(text)))
    return new StillEndingError(
      `Another PostgreSQL server still uses ${directory.data} (${line}). Stop it, or give this one another DATA_DIR.`,
    );
  for (const [pattern, message] of FAULTS) {
    const said = plain.find((text) => pattern.test(text));
    const fault = said && message(directory, said.trim());
    if (fault) return typeof fault === 'string' ? new EmbeddedDatabaseError(fault) : fault;
  }
  return new EmbeddedDatabaseError(
    `The embedded database in ${directory.data} did not start: ${line}. Restore it from a backup if its files are damaged, or set DATABASE_URL.`,
  );
}
