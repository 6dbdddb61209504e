/** A data folder with a database in it, for tests that aren't about the first start: a copy is far quicker. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { startEmbedded } from '../../../src/platform/embedded-postgres/embedded.ts';
import { folders, keepingLogger } from './harness.ts';

const models = folders();
let model: Promise<string> | undefined;
afterAll(() => models.clean());

async function makeModel(): Promise<string> {
  const dataDir = join(models.make(), 'data');
  await (await startEmbedded({ dataDir, log: keepingLogger() })).stop();
  return dataDir;
}

/** Copies the one that each test file makes once, with its owners, to `<parent>/data`. */
export async function madeDataDir(parent: string): Promise<string> {
  model ??= makeModel();
  const dataDir = join(parent, 'data');
  execFileSync('cp', ['-Rp', await model, dataDir]);
  return dataDir;
}
