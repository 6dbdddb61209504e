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
import { CHECK_COLUMN, SEALED_COLUMNS } from './sealed-columns.ts';
import { findOtherSealers } from './serving.ts';

const HELP = `Usage: fairlead rotate-secret [--check | --leave-unopened]

Seals every stored credential anew under a new secret.

With the embedded database and its key file: stop the server first. The new secret is made here.
With FAIRLEAD_SECRET: set it to the new secret and FAIRLEAD_SECRET_ALSO to the one before, on every server first; they go
on serving. docs/secrets.md says the steps.

  --check             Counts what is sealed under which secret, and changes nothing. Ends with 0 where all is under the
                      present one: the secret before may go then.
  --leave-unopened    Ends the rotation although some values open under none of the secrets.`;

const OPTIONS = {
  help: { type: 'boolean', short: 'h' },
  check: { type: 'boolean' },
  'leave-unopened': { type: 'boolean' },
} as const;

interface Options {
  leavesUnopened: boolean;
}

/** Before anything is changed. @throws AdminError where this program doesn't know all that is sealed. */
async function assertKnown(db: Database): Promise<void> {
  const [known, applied] = await Promise.all([knownMigrations(), appliedMigrations(db)]);
  if (known.some((name) => !applied.includes(name)))
    throw new AdminError('The database is of an older version. Start the server of this one on it first.');
  if (applied.some((name) => !known.includes(name)))
    throw new AdminError('The database is of a newer version. Use that version.');
  const places = SEALED_COLUMNS.flatMap(({ table, values }) =>
    values.map(({ column }) => `${table}.${column}`),
  );
  const unknown = (await sealedColumns(db)).filter((name) => ![...places, CHECK_COLUMN].includes(name));
  if (unknown.length) throw new AdminError(`This version does not know ${unknown.join(', ')}.`);
}

/** @returns how many values are under another secret than the present one */
async function check(db: Database, secrets: RootSecrets, terminal: Terminal): Promise<number> {
  const box = createSecretBox(secrets.current, secrets.further);
  const counts = new Map<string, number>();
  for (const column of await findExistingColumns(db))
    for (const [id, number] of await countByKey(db, column)) counts.set(id, (counts.get(id) ?? 0) + number);
  const checked = await checkedKeyId(db);
  if (checked !== null) counts.set(checked, (counts.get(checked) ?? 0) + 1);
  const names = [secrets.current, ...secrets.further].map(fingerprint);
  const sum = (): number => [...counts.values()].reduce((total, number) => total + number, 0);
  const others = sum() - (counts.get(box.keyIds[0]) ?? 0);
  for (const [at, id] of box.keyIds.entries()) {
    const which = at === 0 ? 'the present secret' : 'the one that is accepted as well';
    terminal.out(`${count(counts.get(id) ?? 0, 'value')} under ${which} (fingerprint ${names[at]})`);
    counts.delete(id);
  }
  if (sum()) terminal.out(`${count(sum(), 'value')} under none of these`);
  return others;
}

async function turn(db: Database, box: SecretBox, options: Options, terminal: Terminal): Promise<void> {
  const done = await resealAll({ db, box, report: (line) => terminal.out(line) });
  const { values, unopened, examples }: Resealed = done;
  for (const { table, column, row } of examples)
    terminal.error(`${table}.${column} opens under none of the secrets: ${JSON.stringify(row)}`);
  if (unopened && !options.leavesUnopened)
    throw new AdminError(
      `${count(values, 'value')} sealed anew; ${count(unopened, 'value')} could not be opened, so the secret before ` +
        'still counts. Where it is another secret that is missing, give it; else --leave-unopened ends the rotation.',
    );
  await renewCheck(db, box);
  terminal.out(
    `${count(values, 'value')} sealed anew; ${unopened ? count(unopened, 'value') : 'none'} left under another secret.`,
  );
}

async function rotateKeyFile(config: Config, options: Options, terminal: Terminal): Promise<void> {
  const path = keyFilePath(config.DATA_DIR);
  if (await runningConnection(config.DATA_DIR))
    throw new AdminError('A server runs on this database. Stop it first; it takes its secret at its start.');
  await withDatabase(
    config,
    async (db) => {
      await assertKnown(db);
      const present = await rootSecrets(config);
      await openSecretBox(config, db);
      const isBegun = present.further.length > 0;
      const [first, ...further] = isBegun
        ? [present.current, ...present.further]
        : [generateRootSecret(), present.current];
      const box = createSecretBox(first, further);
      if (isBegun) terminal.out('A rotation was begun before; it goes on.');
      else await replaceKeyFile(path, [first, ...further]);
      terminal.out(`${path} holds the new secret and the one before.`);
      await turn(db, box, options, terminal);
      await replaceKeyFile(path, [first]);
      terminal.out(`${path} holds the new secret alone (fingerprint ${fingerprint(first)}). Back it up.`);
    },
    { alone: true },
  );
}

/** @throws AdminError while a server would go on sealing under the secret that is to go. */
async function assertAllSealAlike(db: Database, box: SecretBox, advice: string): Promise<void> {
  const others = await findOtherSealers(db, box);
  if (others.length)
    throw new AdminError(
      `Servers at ${others.join(', ')} still seal under another secret than FAIRLEAD_SECRET. ${advice}`,
    );
}

async function rotateGiven(config: Config, options: Options, terminal: Terminal): Promise<void> {
  if (config.FAIRLEAD_SECRET_ALSO === null)
    throw new AdminError(
      'Give the new secret as FAIRLEAD_SECRET and the one before as FAIRLEAD_SECRET_ALSO (docs/secrets.md).',
    );
  if (config.FAIRLEAD_SECRET_ALSO === config.FAIRLEAD_SECRET)
    throw new AdminError('FAIRLEAD_SECRET and FAIRLEAD_SECRET_ALSO are the same.');
  await withDatabase(config, async (db) => {
    await assertKnown(db);
    const box = await openSecretBox(config, db);
    await assertAllSealAlike(db, box, 'Start them with this one first.');
    await turn(db, box, options, terminal);
    // A server that started in between was accepted by the previous check value; from now on none is.
    await assertAllSealAlike(db, box, 'Start them with this one, and run this again.');
    const name = fingerprint(config.FAIRLEAD_SECRET!);
    terminal.out(
      `Everything is sealed under FAIRLEAD_SECRET (fingerprint ${name}). FAIRLEAD_SECRET_ALSO may go.`,
    );
  });
}

/** @returns the exit code: 1 where something went wrong, or `--check` found a value under another secret. */
export const runRotateSecret = (
  args: string[],
  env: Record<string, string | undefined>,
  terminal: Terminal,
): Promise<number> =>
  performed(terminal, async () => {
    const { values, positionals } = parse(args, OPTIONS, 'rotate-secret');
    if (values.help) return terminal.out(HELP);
    assertNoMore(positionals, 'rotate-secret');
    const config = readConfig(env);
    if (values.check) {
      const others = await withDatabase(config, async (db) => check(db, await rootSecrets(config), terminal));
      return others === 0 ? 0 : 1;
    }
    const options = { leavesUnopened: values['leave-unopened'] === true };
    await (config.FAIRLEAD_SECRET === null ? rotateKeyFile : rotateGiven)(config, options, terminal);
  });
