import { freemem, tmpdir } from 'node:os';
import { statfs } from 'node:fs/promises';

const MEMORY_FOLDER = '/dev/shm';
/** A whole run of the tests takes a tenth of it. */
const MIN_MEMORY_BYTES = 2 * 1024 ** 3;

/**
 * Returns the folder to keep databases in that are thrown away: one in memory if the machine has enough of it, else the
 * system's temporary one. Creating a database of 1,100 files on ext4, where many files were deleted shortly before, took
 * up to 0.5 s of CPU, and in memory 0.02 s.
 */
export async function fastestFolder(): Promise<string> {
  const free = await statfs(MEMORY_FOLDER).then(
    ({ bavail, bsize }) => Math.min(bavail * bsize, freemem()),
    () => 0, // not on this system
  );
  return free < MIN_MEMORY_BYTES ? tmpdir() : MEMORY_FOLDER;
}
