/** A folder below the system's temporary one, removed when its scope ends. */
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface TemporaryFolder extends AsyncDisposable {
  path: string;
}

/** Others may pass through it: started by root, PostgreSQL runs as another account, which must get to its data. */
export async function temporaryFolder(prefix = 'fairlead-'): Promise<TemporaryFolder> {
  const path = await mkdtemp(join(tmpdir(), prefix));
  await chmod(path, 0o755);
  return {
    path,
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 }),
  };
}
