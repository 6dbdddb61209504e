/** Finds where the archive of a room begins for the account. */
import { DriverError } from '../../contract/driver-error.ts';
import type { Archive } from '../session/archive.ts';
import type { RoomPosition } from '../session/position.ts';

/**
 * Finds the archive entry after which the account receives the room. It is stored together with the membership, so
 * everything later is read from the archive, even if the connection ends immediately.
 * @returns null if a position is stored already, or if the archive can't be read now and `RoomInbound` must retry
 */
export async function findArchiveStart(
  archive: Archive,
  stored: RoomPosition | undefined,
  signal?: AbortSignal,
): Promise<string | null> {
  if ((stored?.archive ?? null) !== null) return null;
  try {
    return (await archive.page({ before: '', max: 1 }, signal)).last ?? '';
  } catch (error) {
    if (!(error instanceof DriverError) || error.kind === 'lost') throw error;
    return null;
  }
}
