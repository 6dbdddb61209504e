/**
 * The key file beside the embedded data (`secret.key`, 0600). Its first line is the root secret; during a rotation the
 * second line is the previous one. It changes by renaming a synced file, so a crash leaves the old or the new content.
 * It is created with a link, so concurrent creators all read the same file.
 */
import { randomBytes } from 'node:crypto';
import { link, mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ConfigError, MIN_SECRET_CHARACTERS } from '../config/config.ts';

export const keyFilePath = (dataDir: string): string => join(dataDir, 'secret.key');

export const generateRootSecret = (): string => randomBytes(32).toString('base64url');

/**
 * Returns the secrets in the file; values are sealed with the first one. Null if the file does not exist.
 * @throws ConfigError if it can't be read, or contains something else
 */
export async function readKeyFile(path: string): Promise<[string, ...string[]] | null> {
  let content: string;
  try {
    content = await readFile(path, 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return null;
    throw new ConfigError(`The key file ${path} can't be read: ${message}`);
  }
  const [first, ...further] = content
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);
  const areSecrets = [first ?? '', ...further].every((line) => line.length >= MIN_SECRET_CHARACTERS);
  if (first !== undefined && areSecrets) return [first, ...further];
  throw new ConfigError(
    `The key file ${path} contains no valid secret (at least ${MIN_SECRET_CHARACTERS} characters per line). Restore the original file.`,
  );
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  await folder.sync().finally(() => folder.close());
}

/**
 * Writes the content to a synced temporary file, lets `place` move it to its final path, and syncs the directory.
 * @param owner owner of the file; null for the current user
 */
async function written(
  path: string,
  secrets: readonly string[],
  owner: { uid: number; gid: number } | null,
  place: (draft: string) => Promise<void>,
): Promise<void> {
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  await mkdir(dirname(path), { recursive: true });
  try {
    const file = await open(draft, 'wx', 0o600);
    try {
      // Uses the open file, because another account may own the folder and replace the name with a link.
      if (owner !== null) await file.chown(owner.uid, owner.gid);
      await file.writeFile(secrets.map((secret) => `${secret}\n`).join(''));
      await file.sync();
    } finally {
      await file.close();
    }
    await place(draft);
  } finally {
    await rm(draft, { force: true });
  }
  await syncFolder(dirname(path));
}

const NO_LINKS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'];

/**
 * Creates the file with a new secret; if another process was first, its file stays.
 * @throws ConfigError if it can't be written
 */
export async function makeKeyFile(path: string): Promise<void> {
  try {
    await written(path, [generateRootSecret()], null, (draft) =>
      link(draft, path).catch((error: NodeJS.ErrnoException) => {
        if (!NO_LINKS.includes(error.code ?? '')) throw error;
        return rename(draft, path); // a file system without links; the server's lock keeps others out
      }),
    );
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== 'EEXIST') throw new ConfigError(`The key file ${path} can't be written: ${message}`);
  }
}

/** Replaces the file's content atomically and durably. Its owner stays. */
export async function replaceKeyFile(path: string, secrets: readonly [string, ...string[]]): Promise<void> {
  const owner = process.getuid?.() === 0 ? await stat(path) : null; // else the server's account could not read it
  await written(path, secrets, owner, (draft) => rename(draft, path));
}
