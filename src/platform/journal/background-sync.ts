/** Syncs what was recorded to disk in the background, so that a power failure loses little of it. */
import type { JournalFiles } from './segment-maker.ts';

interface BackgroundSyncOptions {
  files: Pick<JournalFiles, 'fdatasync'>;
  /** Milliseconds between two syncs; undefined leaves it to the system. */
  everyMs: number | undefined;
  /** The open segment; null while nothing can be recorded. The end of a closed one is synced by the system. */
  getFile: () => number | null;
  /** Records since the start. */
  getTotal: () => number;
  failed: (error: Error) => void;
}

/** @returns what stops it */
export function startBackgroundSync(options: BackgroundSyncOptions): () => void {
  const { files, everyMs, getFile, getTotal, failed } = options;
  let syncing = false;
  let syncedThrough = 0;
  const sync = (): void => {
    const [total, file] = [getTotal(), getFile()];
    if (syncing || file === null || total === syncedThrough) return;
    syncing = true;
    files.fdatasync(file, (error) => {
      syncing = false;
      if (error) failed(error);
      else syncedThrough = total;
    });
  };
  const timer = everyMs === undefined ? undefined : setInterval(sync, everyMs);
  timer?.unref();
  return () => clearInterval(timer);
}
