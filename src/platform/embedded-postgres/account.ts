/**
 * The account that PostgreSQL runs under. PostgreSQL refuses to run as root, so a root process runs it as the owner of
 * existing data, or else as `nobody`; any other process runs it as itself.
 *
 * Other programs may also run as `nobody`. The database directory is protected from them: it belongs to root with mode
 * 0710 and a group that only this PostgreSQL gets, and its socket checks the peer's account (access-rules.ts).
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { getCode, EmbeddedDatabaseError } from './errors.ts';

/** Reserved by Debian's policy, outside the ranges that systems and systemd hand out, inside what containers map. */
const GATE_GROUP = 65_530;

export interface Account {
  uid: number;
  gid: number;
  /** For messages. */
  name: string;
  /** Whether it is another than ours. */
  switched: boolean;
}

interface PasswdEntry {
  name: string;
  uid: number;
  gid: number;
}

function passwdEntry(matches: (entry: PasswdEntry) => boolean): PasswdEntry | undefined {
  let text = '';
  try {
    text = readFileSync('/etc/passwd', 'utf8');
  } catch (error) {
    if (getCode(error) !== 'ENOENT') throw error;
  }
  for (const line of text.split('\n')) {
    const [name, , uid, gid] = line.split(':');
    // macOS writes the ID of `nobody` as -2; system calls take it unsigned.
    const entry = name && uid && gid ? { name, uid: Number(uid) >>> 0, gid: Number(gid) >>> 0 } : null;
    if (entry && matches(entry)) return entry;
  }
  return undefined;
}

/** Name of an account for messages: as /etc/passwd has it, or `user id n`. */
function getName(uid: number): string {
  return passwdEntry((entry) => entry.uid === uid)?.name ?? `user id ${uid}`;
}

/** Name of the account that this process runs under, or null when its user ID has no passwd entry anywhere. */
export function ownName(): string | null {
  try {
    return userInfo().username;
  } catch (error) {
    if (getCode(error) === 'ERR_SYSTEM_ERROR') return null;
    throw error;
  }
}

/** Options that make `spawn` and `spawnSync` run a program under an account. */
export function spawnAs(account: Account): { uid?: number; gid?: number } {
  return account.switched ? { uid: account.uid, gid: account.gid } : {};
}

/** Evaluates test(1) expressions as an account; null when no program can be started as that account. */
function evaluate(account: Account, tests: [flag: '-x' | '-r', path: string][]): boolean | null {
  const script = 'while [ $# -gt 0 ]; do test "$1" "$2" || exit 1; shift 2; done';
  const { error, status } = spawnSync('/bin/sh', ['-c', script, 'test', ...tests.flat()], {
    ...spawnAs(account),
    cwd: '/',
    env: {},
    stdio: 'ignore',
  });
  if (error && ['EPERM', 'EINVAL'].includes(getCode(error))) return null;
  if (error) throw error;
  return status === 0;
}

/** Whether an account can pass (-x) or read (-r) all of these paths. */
export function canReach(account: Account, tests: [flag: '-x' | '-r', path: string][]): boolean {
  return evaluate(account, tests) === true;
}

/**
 * The account for a database folder.
 * @param data where the database lies or will lie, for messages.
 * @param owner user ID of the database that is there already, or null.
 * @throws EmbeddedDatabaseError when the data is another's, or this process may not become that account.
 */
export function accountFor(data: string, owner: number | null): Account {
  const own = process.geteuid!();
  if (own !== 0) {
    if (owner === null || owner === own)
      return { uid: own, gid: process.getegid!(), name: getName(own), switched: false };
    throw new EmbeddedDatabaseError(
      `The database in ${data} belongs to ${getName(owner)}, but Fairlead runs as ${getName(own)}. Start it as the same user as before, or change the owner: chown -R ${getName(own)} on the data folder.`,
    );
  }
  const nobody = passwdEntry(({ name }) => name === 'nobody');
  if (owner === 0)
    throw new EmbeddedDatabaseError(
      `The database in ${data} belongs to root, and PostgreSQL refuses to run as root. Change the owner: chown -R nobody '${data}'.`,
    );
  const uid = owner ?? nobody?.uid;
  if (uid === undefined)
    throw new EmbeddedDatabaseError(
      'PostgreSQL refuses to run as root, and there is no user "nobody" to run it as. Start Fairlead as another user, or set DATABASE_URL.',
    );
  // Where a container maps too few groups for the gate, file modes and the socket's rules have to do.
  for (const gid of [GATE_GROUP, nobody?.gid ?? uid]) {
    const account = { uid, gid, name: getName(uid), switched: true };
    if (evaluate(account, []) !== null) return account;
  }
  throw new EmbeddedDatabaseError(
    `PostgreSQL refuses to run as root, and this root user is not allowed to start programs as ${getName(uid)}. Start Fairlead as another user, or set DATABASE_URL.`,
  );
}
