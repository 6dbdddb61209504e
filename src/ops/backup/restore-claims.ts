/**
 * What restores have begun to put into a folder: the file `restoring.json` beside their mark (restoring.ts), a line for
 * each that began. A line is on the disk before anything of it is made, so a later restore knows what it may clear: what
 * stands here, and nothing else. The mark itself can't hold it, since whoever opens that file loses its lock (file-lock.ts).
 *
 * The last line of a restore that is over says so. From then on nothing in the folder is a restore's any more, whatever
 * of the two files a crash leaves.
 */
import { existsSync, readFileSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseOwnJson } from '../../platform/json/own-json.ts';
import { BackupError } from './backup-error.ts';

/** All that a restore ever fills, so also all that one ever clears. */
export type RestoredFolder = 'clicks' | 'media';

export interface Claim {
  /** Whether all of DATA_DIR is the restore's: it was empty. */
  isWhole: boolean;
  /** Folders of DATA_DIR that it fills. */
  folders: RestoredFolder[];
  /** The store that contents of media go to, without its credentials; null where that is the folder. */
  store: string | null;
}

/** Reports the result of a restore. */
const OVER = { isOver: true };

export const claimsFile = (dataDir: string): string => join(dataDir, 'restoring.json');

/** @returns null for one that a crash cut off: nothing of it was made yet */
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
 * What restores that have not ended claimed, the earliest first.
 * @returns null where the last one has ended. @throws BackupError where the file can't be read
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

/** Only while the mark's lock is held. */
async function append(dataDir: string, line: object): Promise<void> {
  const file = await open(claimsFile(dataDir), 'a', 0o600);
  try {
    // After one that was cut off it begins anew.
    await file.write(`\n${JSON.stringify(line)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
}

export const addClaim = (dataDir: string, claim: Claim): Promise<void> => append(dataDir, claim);

export const endClaims = (dataDir: string): Promise<void> => append(dataDir, OVER);

export const removeClaims = (dataDir: string): Promise<void> => rm(claimsFile(dataDir), { force: true });
