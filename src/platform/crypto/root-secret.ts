/**
 * The root secret that everything sealed hangs on: FAIRLEAD_SECRET, or a key file (0600) beside the embedded data.
 * A check value in the database refuses another secret at start, before anything is written under it.
 */
import { type Config, ConfigError } from '../config/config.ts';
import type { Database, Db } from '../db/database.ts';
import { keyFilePath, makeKeyFile, readKeyFile } from './key-file.ts';
import { createSecretBox, getKeyId, type SecretBox } from './secret-box.ts';

const CHECK_CONTEXT = 'server|secret_checks|1';
const CHECK_TEXT = 'fairlead';

export interface RootSecrets {
  /** The secret that new values are sealed with. */
  current: string;
  /** Further secrets that values can be opened with during a rotation: the next or the previous one. */
  further: string[];
}

const missing = (path: string, why: string): ConfigError =>
  new ConfigError(
    `The key file ${path} is missing${why}. Restore the original file, for example from a backup. Nothing was changed.`,
  );

async function present(config: Config): Promise<RootSecrets | null> {
  const { FAIRLEAD_SECRET: given, FAIRLEAD_SECRET_ALSO: also } = config;
  if (given !== null) return { current: given, further: also === null || also === given ? [] : [also] };
  const found = await readKeyFile(keyFilePath(config.DATA_DIR));
  return found && { current: found[0], further: found.slice(1) };
}

/**
 * Returns the existing secrets of an installation; creates none.
 * @throws ConfigError if the key file is missing, can't be read, or contains something else
 */
export async function rootSecrets(config: Config): Promise<RootSecrets> {
  const found = await present(config);
  if (found) return found;
  throw missing(keyFilePath(config.DATA_DIR), '');
}

const storedCheck = async (db: Db): Promise<string | null> =>
  (await db.selectFrom('secret_checks').select('sealed').executeTakeFirst())?.sealed ?? null;

/** Writes the check value if there is none yet. */
const writeCheck = (db: Db, box: SecretBox) =>
  db
    .insertInto('secret_checks')
    .values({ sealed: box.seal(CHECK_TEXT, CHECK_CONTEXT) })
    .onConflict((conflict) => conflict.doNothing())
    .execute();

/** A database that was never set up gets a key file; one that was is nothing without its own. */
async function presentOrNew(config: Config, db: Database): Promise<RootSecrets> {
  const found = await present(config);
  if (found) return found;
  const path = keyFilePath(config.DATA_DIR);
  if ((await storedCheck(db)) === null) await makeKeyFile(path);
  const made = await present(config); // by this process, or by another that started with it
  if (made) return made;
  throw missing(path, ', and the data in this database was encrypted with it');
}

/** Ends a rotation: replaces the check value by one of the box's first secret, unless another process already has. */
export async function renewCheck(db: Db, box: SecretBox): Promise<void> {
  const before = await storedCheck(db);
  if (before === null || getKeyId(before) === box.keyIds[0]) return;
  await db
    .updateTable('secret_checks')
    .set({ sealed: box.seal(box.open(before, CHECK_CONTEXT), CHECK_CONTEXT) })
    .where('sealed', '=', before)
    .execute();
}

/** The ID of the key that the check value is sealed under; null before the first start. */
export async function checkedKeyId(db: Db): Promise<string | null> {
  const sealed = await storedCheck(db);
  return sealed === null ? null : getKeyId(sealed);
}

/**
 * Creates the box and compares it with the check value (which the first start writes).
 * @throws ConfigError if the data was sealed with another secret, or the key file is missing; nothing is changed then
 */
export async function openSecretBox(config: Config, db: Database): Promise<SecretBox> {
  const { current, further } = await presentOrNew(config, db);
  const box = createSecretBox(current, further);
  if ((await storedCheck(db)) === null) await writeCheck(db, box);
  try {
    box.open((await storedCheck(db)) ?? '', CHECK_CONTEXT);
  } catch {
    const where = config.FAIRLEAD_SECRET === null ? keyFilePath(config.DATA_DIR) : 'FAIRLEAD_SECRET';
    throw new ConfigError(
      `${where} is not the secret that this database was set up with. Provide the original one. Nothing was changed.`,
    );
  }
  return box;
}
