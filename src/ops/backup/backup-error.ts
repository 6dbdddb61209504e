/** A backup can't be made or used. The message gives the reason in one line and, if there is one, the remedy. */
export class BackupError extends Error {
  override name = 'BackupError';
}

/**
 * Creates the error for a backup that is incomplete or was changed.
 * @param how the mismatch, for troubleshooting
 */
export const damaged = (how: string): BackupError =>
  new BackupError(`The file is damaged or was changed: ${how}. Nothing was changed. Use another copy.`);
