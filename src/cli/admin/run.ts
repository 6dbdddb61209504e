/**
 * `fairlead admin`: commands for operators without signing in, on the machine with the database. Each command is one
 * transaction; commands that end sessions also raise the epoch, so that running servers notice within a second.
 */
import { text } from 'node:stream/consumers';
import { createPasswordHasher } from '../../core/auth/identity/password-hash.ts';
import { isCommonPassword } from '../../core/auth/identity/common-passwords.ts';
import {
  isLongEnough,
  isPersonal,
  MAX_PASSWORD,
  MIN_PASSWORD,
} from '../../core/auth/identity/password-policy.ts';
import {
  findUserByEmail,
  listUsers,
  setDisabled,
  setPassword,
  type UserRow,
} from '../../core/auth/identity/users.system-store.ts';
import { readConfig } from '../../platform/config/config.ts';
import type { Database } from '../../platform/db/database.ts';
import { publicId } from '../../core/vocabulary/ids.ts';
import { claimJournals } from '../../platform/journal/journal-database.ts';
import { journalsFolder } from '../../surfaces/links/clicks/click-journal.ts';
import { callJournalsFolder } from '../../surfaces/models/ledger/call-journal.ts';
import { assertNoMore, parse } from '../../ops/command/command.ts';
import { AdminError, describe, withDatabase } from '../../ops/command/connect.ts';
import { generatePassword } from './generate-password.ts';
import { makeOwner } from './make-owner.ts';
import { harmlessLines, table, type Terminal } from '../../ops/command/terminal.ts';
import {
  getActiveKeys,
  type ListedWorkspace,
  listWorkspaces,
  ownedAlone,
} from './workspaces.system-store.ts';

const HELP = `Usage: fairlead admin <command>

  list-users                               Lists all users.
  list-workspaces                          Lists all workspaces and their owners.
  list-keys EMAIL                          Lists active API keys that the user created.
  reset-password EMAIL                     Sets a new password and shows it once. Ends all sessions of the user.
  reset-password EMAIL --password-stdin    Reads the new password from standard input.
  disable-user EMAIL                       Ends all sessions and blocks new ones. API keys keep working.
  enable-user EMAIL                        Lets a disabled user sign in again.
  claim-journals                           Loads the click journals in DATA_DIR into this database,
                                           even if they were recorded for another one.
  make-owner EMAIL WORKSPACE               Makes the user an owner. WORKSPACE is a slug or an ID.

Uses the settings of the server (fairlead --help): DATABASE_URL, or DATA_DIR for the embedded database, which
can be running or stopped.`;

const OPTIONS = {
  help: { type: 'boolean', short: 'h' },
  'password-stdin': { type: 'boolean' },
} as const;

const day = (time: Date | null): string => time?.toISOString().slice(0, 10) ?? '-';

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
  if (!email) throw new AdminError('Specify the email address of the user: fairlead admin <command> EMAIL');
  const user = await findUserByEmail(db, email);
  if (!user) throw new AdminError(`There is no user with the email address ${email}.`);
  return user;
}

async function passwordFrom(terminal: Terminal, user: UserRow): Promise<string> {
  const password = (await text(terminal.input)).replace(/\r?\n$/, '');
  if (!isLongEnough(password) || password.length > MAX_PASSWORD)
    throw new AdminError(`The password must have ${MIN_PASSWORD} to ${MAX_PASSWORD} characters.`);
  if (isPersonal(password, user) || isCommonPassword(password))
    throw new AdminError('The password is too easy to guess.');
  return password;
}

async function resetPassword(
  db: Database,
  email: string | undefined,
  fromInput: boolean,
  terminal: Terminal,
) {
  const user = await requireUser(db, email);
  const password = fromInput ? await passwordFrom(terminal, user) : generatePassword();
  const hash = await createPasswordHasher().hash(password, ['operator']);
  await db.transaction().execute((trx) => setPassword(trx, user.id, hash));
  terminal.out(`${user.email} has a new password. All sessions have ended.`);
  if (!fromInput) terminal.out(`Password (shown only once): ${password}`);
  if (user.disabled_at)
    terminal.out("The user is disabled and can't sign in: fairlead admin enable-user EMAIL");
}

async function enableUser(db: Database, email: string | undefined, terminal: Terminal) {
  const user = await requireUser(db, email);
  await db.transaction().execute((trx) => setDisabled(trx, user.id, false));
  terminal.out(`${user.email} can sign in again.`);
}

/**
 * Disables a user. API keys belong to their workspaces and stay active, and workspaces without another owner remain;
 * prints both.
 */
async function disableUser(db: Database, email: string | undefined, terminal: Terminal) {
  const user = await requireUser(db, email);
  await db.transaction().execute((trx) => setDisabled(trx, user.id, true));
  terminal.out(`${user.email} is disabled. All sessions have ended.`);
  const keys = (await getActiveKeys(db, publicId('user', user.id))).length;
  if (keys)
    terminal.out(
      `API keys that they created belong to their workspaces and keep working: ${keys}. See fairlead admin list-keys ${user.email}`,
    );
  const alone = await ownedAlone(db, user.id);
  if (alone.length)
    terminal.out(
      `Workspaces without another owner: ${alone.join(', ')}. See fairlead admin make-owner EMAIL WORKSPACE`,
    );
}

async function printWorkspaces(db: Database, terminal: Terminal): Promise<void> {
  const workspaces = await listWorkspaces(db);
  if (!workspaces.length) return terminal.out('No workspaces yet.');
  const getOwners = ({ owners, owners_count: count }: ListedWorkspace): string =>
    [...owners, ...(count > owners.length ? [`and ${count - owners.length} more`] : [])].join(', ') || '-';
  const rows = workspaces.map((row) => [
    row.slug,
    row.name,
    publicId('workspace', row.id),
    String(row.members),
    day(row.created_at),
    getOwners(row),
  ]);
  terminal.out(table([['SLUG', 'NAME', 'ID', 'MEMBERS', 'CREATED', 'OWNERS'], ...rows]));
}

async function printKeys(db: Database, email: string | undefined, terminal: Terminal): Promise<void> {
  const user = await requireUser(db, email);
  const keys = await getActiveKeys(db, publicId('user', user.id));
  if (!keys.length) return terminal.out(`${user.email} has no active API keys.`);
  const rows = keys.map((row) => [
    row.workspace,
    publicId('api_key', row.id),
    `${row.prefix}…${row.last4}`,
    row.name,
    day(row.last_used_at),
    day(row.expires_at),
    row.scopes.join(' '),
  ]);
  terminal.out(table([['WORKSPACE', 'ID', 'KEY', 'NAME', 'LAST USED', 'EXPIRES', 'SCOPES'], ...rows]));
}

async function claimDataDir(db: Database, dataDir: string, terminal: Terminal): Promise<void> {
  const roots = [journalsFolder(dataDir), callJournalsFolder(dataDir)];
  for (const root of roots) await claimJournals(db, root);
  terminal.out(`The journals in ${roots.join(' and ')} are loaded when the server starts.`);
}

async function printNewOwner(
  db: Database,
  email: string | undefined,
  workspace: string | undefined,
  terminal: Terminal,
): Promise<void> {
  if (!email || !workspace)
    throw new AdminError('Specify the user and the workspace: fairlead admin make-owner EMAIL WORKSPACE');
  const user = await requireUser(db, email);
  const { slug, before } = await makeOwner(db, user, workspace);
  const was = before === null ? 'no member' : before;
  terminal.out(
    before === 'owner'
      ? `${user.email} is already an owner of ${slug}.`
      : `${user.email} is now an owner of ${slug} (was ${was}).`,
  );
}

/** @returns the exit code. */
export async function runAdmin(
  args: string[],
  env: Record<string, string | undefined>,
  terminal: Terminal,
): Promise<number> {
  try {
    const { values, positionals } = parse(args, OPTIONS, 'admin');
    const [command, ...given] = positionals;
    if (values.help || command === undefined) {
      terminal.out(HELP);
      return values.help ? 0 : 1;
    }
    const [first, second] = given;
    const config = readConfig(env);
    const isFromInput = values['password-stdin'] === true;
    /** Each command with its maximum number of arguments and its function. */
    const commands: Record<string, [number, (db: Database) => Promise<void>]> = {
      'list-users': [0, (db) => printUsers(db, terminal)],
      'list-workspaces': [0, (db) => printWorkspaces(db, terminal)],
      'list-keys': [1, (db) => printKeys(db, first, terminal)],
      'reset-password': [1, (db) => resetPassword(db, first, isFromInput, terminal)],
      'disable-user': [1, (db) => disableUser(db, first, terminal)],
      'enable-user': [1, (db) => enableUser(db, first, terminal)],
      'claim-journals': [0, (db) => claimDataDir(db, config.DATA_DIR, terminal)],
      'make-owner': [2, (db) => printNewOwner(db, first, second, terminal)],
    };
    const [max, run] = Object.hasOwn(commands, command) ? commands[command]! : [];
    if (max === undefined || !run)
      throw new AdminError(`There is no command ${command}. See fairlead admin --help`);
    assertNoMore(given.slice(max), 'admin');
    if (isFromInput && command !== 'reset-password')
      throw new AdminError(`${command} does not support --password-stdin. See fairlead admin --help`);
    await withDatabase(config, run);
    return 0;
  } catch (error) {
    terminal.error(harmlessLines(describe(error)));
    return 1;
  }
}
