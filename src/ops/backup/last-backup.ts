/**
 * Stores the time of the last backup in a file in DATA_DIR, because the backup command runs outside the server that
 * reports the time on /metrics. Automatic backups before an upgrade do not count, because nobody copies them elsewhere.
 */
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Gauge, type Registry } from 'prom-client';
import { parseOwnJson } from '../../platform/json/own-json.ts';

const NAME = 'last-backup.json';

/** @param folder DATA_DIR, which another account may have to read. @param at when the snapshot was taken */
export async function recordBackup(folder: string, at: Date): Promise<void> {
  const path = join(folder, NAME);
  await writeFile(`${path}.new`, `${JSON.stringify({ at: at.toISOString() })}\n`, { mode: 0o644 });
  await rename(`${path}.new`, path);
}

/** @returns seconds since 1970; 0 if there is no backup or the file is damaged */
async function lastBackup(folder: string): Promise<number> {
  try {
    const { at } = parseOwnJson<{ at: string }>(await readFile(join(folder, NAME), 'utf8'));
    return (Date.parse(at) || 0) / 1000;
  } catch {
    return 0; // monitoring should see that no backup is known
  }
}

/** @param folder DATA_DIR of this machine: if several nodes have one each, only one of them knows of the backup */
export function measureBackups(registry: Registry, folder: string): void {
  new Gauge({
    name: 'fairlead_backup_last_success_timestamp_seconds',
    help: 'When the last backup by fairlead backup was taken, in seconds since 1970; 0 where none is known.',
    registers: [registry],
    aggregator: 'max',
    async collect() {
      this.set(await lastBackup(folder));
    },
  });
}
