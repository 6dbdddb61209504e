/**
 * `npm run admin`: what an operator does without signing in, from the machine that holds the database. Each command
 * is one transaction; what ends sessions raises the epoch with it, so that running servers know within a second.
 */
import { parseArgs } from 'node:util';
import { text } from 'node:stream/consumers';
import { createPasswordHasher } from '../auth/identity/password-hash.ts';
import { isLongEnough, LONGEST_PASSWORD, SHORTEST_PASSWORD } from '../auth/identity/password-policy.ts';
import {
  findUserByEmail,
  listUsers,
  setDisabled,
  setPassword,
  type UserRow,
} from '../auth/identity/users.system-store.ts';
import { readConfig } from '../config.ts';
import type { Database } from '../db/database.ts';
import { publicId } from '../http/ids.ts';
import { AdminError, describe, withDatabase } from './connect.ts';
import { generatePassword } from './generate-password.ts';

const HELP = `Usage: npm run admin -- <command>

  list-users                               Everybody who signed up.
  reset-password EMAIL                     Sets a new password and shows it once. Ends the user's sessions.
  reset-password EMAIL --password-stdin    The same with a password read from standard input.
  disable-user EMAIL                       Ends the user's sessions and refuses new ones.
  enable-user EMAIL                        Lets a disabled user sign in again.

Settings are those of the server (npm start -- --help): DATABASE_URL, or DATA_DIR for the embedded database, which
may be running or not.`;

export interface Terminal {
  out(text: string): void;
  error(text: string): void;
  input: NodeJS.ReadableStream;
}

const day = (time: Date | null): string => time?.toISOString().slice(0, 10) ?? '-';

/** Columns of text, each as wide as its widest cell. */
function table(rows: string[][]): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

async function printUsers(db: Database, terminal: Terminal): Promise<void> {
  const users = await listUsers(db);
  if (!users.length) return terminal.out('No users yet.');
  const rows = users.map((user) => [
    user.email,
    user.name,
    publicId('user', user.id),
    String(user.workspaces),
    day(user.created_at),
    day(user.last_signed_in),
    user.disabled_at ? 'disabled' : 'active',
  ]);
  terminal.out(table([['EMAIL', 'NAME', 'ID', 'WORKSPACES', 'SIGNED UP', 'SIGNED IN', 'STATE'], ...rows]));
}

async function requireUser(db: Database, email: string | undefined): Promise<UserRow> {
  if (!email) throw new AdminError('Name the user by e-mail address: npm run admin -- <command> EMAIL');
  const user = await findUserByEmail(db, email);
  if (!user) throw new AdminError(`There is no user with the e-mail address ${email}.`);
  return user;
}

async function passwordFrom(terminal: Terminal): Promise<string> {
  const password = (await text(terminal.input)).replace(/\r?\n$/, '');
  if (isLongEnough(password) && password.length <= LONGEST_PASSWORD) return password;
  throw new AdminError(`A password has ${SHORTEST_PASSWORD} to ${LONGEST_PASSWORD} characters.`);
}

async function resetPassword(
  db: Database,
  email: string | undefined,
  fromInput: boolean,
  terminal: Terminal,
) {
  const user = await requireUser(db, email);
  const password = fromInput ? await passwordFrom(terminal) : generatePassword();
  const hash = await createPasswordHasher().hash(password);
  await db.transaction().execute((trx) => setPassword(trx, user.id, hash));
  terminal.out(`${user.email} has a new password; all sessions have ended.`);
  if (!fromInput) terminal.out(`Password, shown only now: ${password}`);
  if (user.disabled_at)
    terminal.out('The user is disabled and can not sign in: npm run admin -- enable-user EMAIL');
}

async function switchUser(db: Database, email: string | undefined, disabled: boolean, terminal: Terminal) {
  const user = await requireUser(db, email);
  await db.transaction().execute((trx) => setDisabled(trx, user.id, disabled));
  terminal.out(
    disabled ? `${user.email} is disabled; all sessions have ended.` : `${user.email} may sign in again.`,
  );
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: { help: { type: 'boolean', short: 'h' }, 'password-stdin': { type: 'boolean' } },
    });
  } catch (error) {
    throw new AdminError(`${(error as Error).message.split('. ')[0]}. See npm run admin -- --help`);
  }
}

/** @returns the exit code. */
export async function runAdmin(
  args: string[],
  env: Record<string, string | undefined>,
  terminal: Terminal,
): Promise<number> {
  try {
    const { values, positionals } = parse(args);
    const [command, email, ...rest] = positionals;
    if (values.help || command === undefined) {
      terminal.out(HELP);
      return values.help ? 0 : 1;
    }
    const commands: Record<string, (db: Database) => Promise<void>> = {
      'list-users': (db) => printUsers(db, terminal),
      'reset-password': (db) => resetPassword(db, email, values['password-stdin'] === true, terminal),
      'disable-user': (db) => switchUser(db, email, true, terminal),
      'enable-user': (db) => switchUser(db, email, false, terminal),
    };
    const run = Object.hasOwn(commands, command) ? commands[command] : undefined;
    if (!run) throw new AdminError(`There is no command ${command}. See npm run admin -- --help`);
    if (rest.length) throw new AdminError(`Too much: ${rest.join(' ')}. See npm run admin -- --help`);
    await withDatabase(readConfig(env), run);
    return 0;
  } catch (error) {
    terminal.error(describe(error));
    return 1;
  }
}
