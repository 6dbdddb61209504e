/** A backup can't be made or used; the message says in one line why, and what to do where something can be done. */
export class BackupError extends Error {
  override name = 'BackupError';
}

/** A file that is no whole backup, or was changed. @param how what was found, for whoever looks into it */
export const damaged = (how: string): BackupError =>
  new BackupError(`The file is damaged or was changed: ${how}. Nothing was changed. Use another copy.`);
