/**
 * The one error that leaves this folder: a single line that says what is wrong and what to do about it.
 */

/** The embedded database can't start or can't be reached; `message` is one line for the person who starts the server. */
export class EmbeddedDatabaseError extends Error {
  override name = 'EmbeddedDatabaseError';
}

const REASONS: Record<string, string> = {
  EACCES: 'permission denied',
  EPERM: 'operation not permitted',
  EROFS: 'the file system is read-only',
  ENOTDIR: 'a part of the path is not a folder',
  EEXIST: 'it exists, but is not a folder',
  ENOENT: 'it does not exist (a dangling link?)',
  ELOOP: 'its links lead in a circle',
  ENAMETOOLONG: 'the path is too long',
  EBUSY: 'it is in use, as a mount point is',
};

/** `code` of a system error, or ''. */
export function getCode(error: unknown): string {
  return (error as NodeJS.ErrnoException | undefined)?.code ?? '';
}

/** The one way to say that a disk is full. */
export function diskFull(path: string, details = ''): EmbeddedDatabaseError {
  return new EmbeddedDatabaseError(
    `The disk of ${path} is full${details}. Free some space, or choose another disk with DATA_DIR.`,
  );
}

/**
 * Creates the error for a folder or file that can't be used.
 * @param what its purpose, as in "The data folder"
 */
export function cannotUse(what: string, path: string, error: unknown): EmbeddedDatabaseError {
  if (['ENOSPC', 'EDQUOT'].includes(getCode(error))) return diskFull(path);
  const reason = REASONS[getCode(error)] ?? (error instanceof Error ? error.message : String(error));
  return new EmbeddedDatabaseError(
    `${what} ${path} can't be used: ${reason}. Fix this, choose another folder with DATA_DIR, or set DATABASE_URL.`,
    { cause: error },
  );
}

/** A fault as it may leave this folder: system errors get a clear line, faults of the program stay as they are. */
export function toClearError(error: unknown, what: string, path: string): unknown {
  return error instanceof EmbeddedDatabaseError || getCode(error) === ''
    ? error
    : cannotUse(what, path, error);
}
