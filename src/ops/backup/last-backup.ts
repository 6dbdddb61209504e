/**
 * When the last backup was made, in a file of DATA_DIR: the command that makes it is no part of a server, which tells of
 * it on /metrics. Automatic ones before an upgrade do not count, for nobody keeps them elsewhere.
 */
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Gauge, type Registry } from 'prom-client';
import { parseOwnJson } from '../../platform/json/own-json.ts';

const NAME = 'last-backup.json';

/** @param folder DATA_DIR, which may be another account's to read. @param at when its snapshot was taken */
export async function recordBackup(folder: string, at: Date): Promise<void> {
  const path = join(folder, NAME);
  await writeFile(`${path}.new`, `${JSON.stringify({ at: at.toISOString() })}\n`, { mode: 0o644 });
  await rename(`${path}.new`, path);
}

/** @returns seconds since 1970; 0 where there is none, or the note is damaged */
async function lastBackup(folder: string): Promise<number> {
  try {
    const { at } = parseOwnJson<{ at: string }>(await readFile(join(folder, NAME), 'utf8'));
    return (Date.parse(at) || 0) / 1000;
  } catch {
    return 0; // whoever watches is to see that no backup is known
  }
}

/** @param folder DATA_DIR of this machine: where several nodes have one each, only one of them knows */
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
