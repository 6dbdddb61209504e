/**
 * The root secret that everything sealed hangs on: FAIRLEAD_SECRET, or a key file (0600) beside the embedded data.
 * A check value in the database refuses another secret at start, before anything is written under it.
 */
import { randomBytes } from 'node:crypto';
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Config, ConfigError } from '../config.ts';
import type { Database } from '../db/database.ts';
import { createSecretBox, type SecretBox } from './secret-box.ts';

const CHECK_CONTEXT = 'server|secret_checks|1';
const CHECK_TEXT = 'fairlead';
const FILE = 'secret.key';
const FEWEST_CHARACTERS = 32;

async function writeKeyFile(path: string): Promise<string> {
  const secret = randomBytes(32).toString('base64url');
  const draft = `${path}.${process.pid}`;
  await mkdir(dirname(path), { recursive: true });
  const file = await open(draft, 'wx', 0o600);
  try {
    await file.writeFile(`${secret}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(draft, path).finally(() => rm(draft, { force: true }));
  return secret;
}

/** @throws ConfigError when the key file can't be read or written, or holds none. */
export async function loadRootSecret(config: Config): Promise<string> {
  if (config.FAIRLEAD_SECRET) return config.FAIRLEAD_SECRET;
  const path = join(config.DATA_DIR, FILE);
  try {
    const secret = (await readFile(path, 'utf8')).trim();
    if (secret.length >= FEWEST_CHARACTERS) return secret;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return writeKeyFile(path);
    throw new ConfigError(`The key file ${path} can't be read: ${message}`);
  }
  throw new ConfigError(
    `The key file ${path} holds no secret (${FEWEST_CHARACTERS} characters or more). Give back the original one.`,
  );
}

/**
 * Makes the box, and holds it against the check value (which the first start writes).
 * @throws ConfigError when the data was sealed under another secret.
 */
export async function openSecretBox(config: Config, db: Database): Promise<SecretBox> {
  const box = createSecretBox(await loadRootSecret(config));
  await db
    .insertInto('secret_checks')
    .values({ sealed: box.seal(CHECK_TEXT, CHECK_CONTEXT) })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const { sealed } = await db.selectFrom('secret_checks').select('sealed').executeTakeFirstOrThrow();
  try {
    box.open(sealed, CHECK_CONTEXT);
  } catch {
    const where = config.FAIRLEAD_SECRET ? 'FAIRLEAD_SECRET' : join(config.DATA_DIR, FILE);
    throw new ConfigError(
      `${where} is not the secret that this database was set up with. Give the original one; nothing was changed.`,
    );
  }
  return box;
}
