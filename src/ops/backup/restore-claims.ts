/**
 * Records what restores write into a folder: the file `restoring.json` next to their mark (restoring.ts) has one line
 * per restore. A line is on disk before the restore creates anything, so a later restore knows what it may clear: only
 * what is listed here. The mark itself can't hold these lines, because opening that file again releases its lock
 * (file-lock.ts).
 *
 * A restore that completes appends a last line. From then on nothing in the folder belongs to a restore, whichever of
 * the two files a crash leaves behind.
 */
import { existsSync, readFileSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseOwnJson } from '../../platform/json/own-json.ts';
import { BackupError } from './backup-error.ts';

/** The only folders that a restore fills, and therefore the only ones that it clears. */
export type RestoredFolder = 'clicks' | 'media';

export interface Claim {
  /** Whether all of DATA_DIR belongs to the restore, because it was empty. */
  isWhole: boolean;
  /** Folders of DATA_DIR that the restore fills. */
  folders: RestoredFolder[];
  /** The store that media contents are written to, without credentials; null for the folder in DATA_DIR. */
  store: string | null;
}

/** The line that marks the restore as complete. */
const OVER = { isOver: true };

export const claimsFile = (dataDir: string): string => join(dataDir, 'restoring.json');

/** @returns null for a line that a crash truncated: that restore had not created anything yet */
function readLine(text: string): Partial<Claim & typeof OVER> | null {
  try {
    return parseOwnJson<Partial<Claim & typeof OVER> | null>(text);
  } catch {
    return null;
  }
}

const toClaim = ({ isWhole, folders, store }: Partial<Claim>): Claim => ({
  isWhole: isWhole === true,
  folders: (['clicks', 'media'] as const).filter((name) => folders?.includes(name)),
  store: typeof store === 'string' ? store : null,
});

/**
 * Reads the claims of restores that have not completed, oldest first.
 * @returns null if the last restore completed. @throws BackupError if the file can't be read
 */
export function readClaims(dataDir: string): Claim[] | null {
  const path = claimsFile(dataDir);
  if (!existsSync(path)) return [];
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new BackupError(`${path} can't be read: ${(error as Error).message}`);
  }
  const lines = text
    .split('\n')
    .map(readLine)
    .filter((line) => line !== null);
  return lines.some(({ isOver }) => isOver) ? null : lines.map(toClaim);
}

/** Must be called only while the mark's lock is held. */
async function append(dataDir: string, line: object): Promise<void> {
  const file = await open(claimsFile(dataDir), 'a', 0o600);
  try {
    // The leading line break ends a truncated line.
    await file.write(`\n${JSON.stringify(line)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
}

export const addClaim = (dataDir: string, claim: Claim): Promise<void> => append(dataDir, claim);

export const endClaims = (dataDir: string): Promise<void> => append(dataDir, OVER);

export const removeClaims = (dataDir: string): Promise<void> => rm(claimsFile(dataDir), { force: true });
