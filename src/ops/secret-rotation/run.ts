/**
 * `fairlead rotate-secret`: reseals all secrets. With a key file it creates the new secret, while no server runs on the
 * directory: the file first contains both (synced), then the values change, then the check value, and finally the file
 * contains only the new secret. It can be killed at any point and run again. With FAIRLEAD_SECRET the operator provides
 * both, and servers keep running.
 */
import { assertNoMore, count, parse, performed } from '../command/command.ts';
import { AdminError, withDatabase } from '../command/connect.ts';
import type { Terminal } from '../command/terminal.ts';
import { generateRootSecret, keyFilePath, replaceKeyFile } from '../../platform/crypto/key-file.ts';
import {
  checkedKeyId,
  openSecretBox,
  renewCheck,
  type RootSecrets,
  rootSecrets,
} from '../../platform/crypto/root-secret.ts';
import { createSecretBox, fingerprint, type SecretBox } from '../../platform/crypto/secret-box.ts';
import { type Config, readConfig } from '../../platform/config/config.ts';
import { appliedMigrations, knownMigrations } from '../../platform/db/migrate.ts';
import type { Database } from '../../platform/db/database.ts';
import { runningConnection } from '../../platform/embedded-postgres/embedded.ts';
import { findExistingColumns, resealAll, type Resealed } from './reseal.ts';
import { countByKey, sealedColumns } from './reseal.system-store.ts';
import type { SealedColumn } from '../../core/sealed-column.ts';
import { findOtherSealers } from './serving.ts';

const HELP = `Usage: fairlead rotate-secret [--check | --leave-unopened]

Re-encrypts every stored credential with a new secret.

With the embedded database and its key file: stop the server first. This command creates the new secret.
With FAIRLEAD_SECRET: first set it to the new secret and FAIRLEAD_SECRET_ALSO to the previous one, on every server. The
servers keep running. See docs/secrets.md for the steps.

  --check             Counts the values encrypted with each secret, without changes. Exits with 0 if all values are
                      encrypted with the current secret: the previous one can then be removed.
  --leave-unopened    Completes the rotation even if some values cannot be decrypted with any of the secrets.`;

const OPTIONS = {
  help: { type: 'boolean', short: 'h' },
  check: { type: 'boolean' },
  'leave-unopened': { type: 'boolean' },
} as const;

/** Sealed as well, but replaced separately, last of all (crypto/root-secret.ts). */
export const CHECK_COLUMN = 'secret_checks.sealed';

interface Options {
  columns: readonly SealedColumn[];
  leavesUnopened: boolean;
}

/**
 * Must run before anything is changed.
 * @throws AdminError if the database has sealed columns that this program does not know
 */
async function assertKnown(db: Database, columns: readonly SealedColumn[]): Promise<void> {
  const [known, applied] = await Promise.all([knownMigrations(), appliedMigrations(db)]);
  if (known.some((name) => !applied.includes(name)))
    throw new AdminError(
      'The database is from an older version. First start the server of this version on it.',
    );
  if (applied.some((name) => !known.includes(name)))
    throw new AdminError('The database is from a newer version. Use that version.');
  const places = columns.flatMap(({ table, values }) => values.map(({ column }) => `${table}.${column}`));
  const unknown = (await sealedColumns(db)).filter((name) => ![...places, CHECK_COLUMN].includes(name));
  if (unknown.length) throw new AdminError(`This version does not know ${unknown.join(', ')}.`);
}

/** @returns the number of values sealed with a secret other than the current one */
async function check(
  db: Database,
  secrets: RootSecrets,
  columns: readonly SealedColumn[],
  terminal: Terminal,
): Promise<number> {
  const box = createSecretBox(secrets.current, secrets.further);
  const counts = new Map<string, number>();
  for (const column of await findExistingColumns(db, columns))
    for (const [id, number] of await countByKey(db, column)) counts.set(id, (counts.get(id) ?? 0) + number);
  const checked = await checkedKeyId(db);
  if (checked !== null) counts.set(checked, (counts.get(checked) ?? 0) + 1);
  const names = [secrets.current, ...secrets.further].map(fingerprint);
  const sum = (): number => [...counts.values()].reduce((total, number) => total + number, 0);
  const others = sum() - (counts.get(box.keyIds[0]) ?? 0);
  for (const [at, id] of box.keyIds.entries()) {
    const which = at === 0 ? 'the current secret' : 'the other accepted secret';
    terminal.out(`${count(counts.get(id) ?? 0, 'value')} encrypted with ${which} (fingerprint ${names[at]})`);
    counts.delete(id);
  }
  if (sum()) terminal.out(`${count(sum(), 'value')} encrypted with none of these`);
  return others;
}

async function turn(db: Database, box: SecretBox, options: Options, terminal: Terminal): Promise<void> {
  const done = await resealAll({ db, box, columns: options.columns, report: (line) => terminal.out(line) });
  const { values, unopened, examples }: Resealed = done;
  for (const { table, column, row } of examples)
    terminal.error(`${table}.${column}: cannot be decrypted with any of the secrets: ${JSON.stringify(row)}`);
  if (unopened && !options.leavesUnopened)
    throw new AdminError(
      `${count(values, 'value')} re-encrypted; ${count(unopened, 'value')} could not be decrypted, so the previous secret ` +
        'stays valid. If another secret is missing, provide it; otherwise complete the rotation with --leave-unopened.',
    );
  await renewCheck(db, box);
  terminal.out(
    `${count(values, 'value')} re-encrypted; ${unopened ? count(unopened, 'value') : 'none'} left with another secret.`,
  );
}

async function rotateKeyFile(config: Config, options: Options, terminal: Terminal): Promise<void> {
  const path = keyFilePath(config.DATA_DIR);
  if (await runningConnection(config.DATA_DIR))
    throw new AdminError(
      'A server is running on this database. Stop it first: it reads its secret only when it starts.',
    );
  await withDatabase(
    config,
    async (db) => {
      await assertKnown(db, options.columns);
      const present = await rootSecrets(config);
      await openSecretBox(config, db);
      const isBegun = present.further.length > 0;
      const [first, ...further] = isBegun
        ? [present.current, ...present.further]
        : [generateRootSecret(), present.current];
      const box = createSecretBox(first, further);
      if (isBegun) terminal.out('Continuing the rotation that was started before.');
      else await replaceKeyFile(path, [first, ...further]);
      terminal.out(`${path} contains the new and the previous secret.`);
      await turn(db, box, options, terminal);
      await replaceKeyFile(path, [first]);
      terminal.out(`${path} contains only the new secret (fingerprint ${fingerprint(first)}). Back it up.`);
    },
    { alone: true },
  );
}

/** @throws AdminError while a server would still seal with the secret to be removed */
async function assertAllSealAlike(db: Database, box: SecretBox, advice: string): Promise<void> {
  const others = await findOtherSealers(db, box);
  if (others.length)
    throw new AdminError(
      `Servers at ${others.join(', ')} still encrypt with a secret other than FAIRLEAD_SECRET. ${advice}`,
    );
}

async function rotateGiven(config: Config, options: Options, terminal: Terminal): Promise<void> {
  if (config.FAIRLEAD_SECRET_ALSO === null)
    throw new AdminError(
      'Set FAIRLEAD_SECRET to the new secret and FAIRLEAD_SECRET_ALSO to the previous one (docs/secrets.md).',
    );
  if (config.FAIRLEAD_SECRET_ALSO === config.FAIRLEAD_SECRET)
    throw new AdminError('FAIRLEAD_SECRET and FAIRLEAD_SECRET_ALSO are the same.');
  await withDatabase(config, async (db) => {
    await assertKnown(db, options.columns);
    const box = await openSecretBox(config, db);
    await assertAllSealAlike(db, box, 'Restart them with this one first.');
    await turn(db, box, options, terminal);
    // A server that started in the meantime was accepted by the previous check value; from now on none is.
    await assertAllSealAlike(db, box, 'Restart them with this one, and run this command again.');
    const name = fingerprint(config.FAIRLEAD_SECRET!);
    terminal.out(
      `All values are encrypted with FAIRLEAD_SECRET (fingerprint ${name}). You can remove FAIRLEAD_SECRET_ALSO.`,
    );
  });
}

/**
 * @param columns all columns with sealed values
 * @returns the exit code: 1 if the command failed, or `--check` found a value sealed with another secret
 */
export const runRotateSecret = (
  args: string[],
  columns: readonly SealedColumn[],
  env: Record<string, string | undefined>,
  terminal: Terminal,
): Promise<number> =>
  performed(terminal, async () => {
    const { values, positionals } = parse(args, OPTIONS, 'rotate-secret');
    if (values.help) return terminal.out(HELP);
    assertNoMore(positionals, 'rotate-secret');
    const config = readConfig(env);
    if (values.check) {
      const others = await withDatabase(config, async (db) =>
        check(db, await rootSecrets(config), columns, terminal),
      );
      return others === 0 ? 0 : 1;
    }
    const options = { columns, leavesUnopened: values['leave-unopened'] === true };
    await (config.FAIRLEAD_SECRET === null ? rotateKeyFile : rotateGiven)(config, options, terminal);
  });
