/**
 * The program as it was before backups, whose schema ends with 0023_rules: its sources without tests, from an archive in
 * the repository, since a checkout may have no history. It runs with the packages and browser bundles of this one.
 * One later fix is applied to it: statements that return all columns are not prepared (src/platform/db/database.ts). No version
 * without it was released.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import { ensurePagesBuilt } from '../../scripts/build/bundles.js';
import { ROOT } from './product.ts';

/** What its `npm start` runs. */
export const EARLIER_SERVER: [string, ...string[]] = [
  process.execPath,
  '--max-semi-space-size=8',
  'src/start.js',
];

const ARCHIVE = join(ROOT, 'test/upgrade/earlier-version.tar.zst');

/** @returns the folder to start it in, below an empty one */
export async function unpackEarlierVersion(folder: string): Promise<string> {
  const root = join(folder, 'earlier-version');
  await mkdir(join(root, 'dist'), { recursive: true });
  const tar = spawn('tar', ['-x', '-C', root, '-f', '-'], { stdio: ['pipe', 'ignore', 'inherit'] });
  tar.stdin.end(zstdDecompressSync(readFileSync(ARCHIVE)));
  const [code] = await once(tar, 'exit');
  if (code !== 0) throw new Error(`tar ended with ${code}`);
  await ensurePagesBuilt(console);
  await symlink(join(ROOT, 'node_modules'), join(root, 'node_modules'));
  for (const bundle of ['console', 'reference'])
    await symlink(join(ROOT, 'dist', bundle), join(root, 'dist', bundle));
  return root;
}
