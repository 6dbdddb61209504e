/**
 * Makes a database read-only for everybody, and says why in the last line of its comment:
 *
 *   state   | last line                   | writes            | next
 *   --------+-----------------------------+-------------------+-----------------------------------------------
 *   open    | none of ours                | yes               | moving (freeze)
 *   moving  | {"fairlead": "moving", …}   | no                | moved (all is copied), open (it failed; --undo)
 *   moved   | {"fairlead": "moved", …}    | no, and no start  | open (--undo)
 *
 * What an operator wrote into the comment stands before that line, and is alone there again once it is gone.
 *
 * It is the database that refuses, not its clients: so nothing that any process was told to be done can be missing from
 * the copy, and a process that starts later can't write either.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import pg from 'pg';
import { parseOwnJson } from '../../json/own-json.ts';
import type { CopyClient } from './client.ts';
import type { Database } from '../database.ts';
import { SchemaError } from '../migrate.ts';

export interface FreezeRecord {
  fairlead: 'moving' | 'moved';
  /** Where to, as "db.example.com:5432/fairlead"; never with a password. */
  to: string;
  /** RFC 3339. */
  at: string;
}

const COMMENT = `select shobj_description(oid, 'pg_database') as text from pg_database where datname = current_database()`;

interface Comment {
  /** The operator's own text; null if there is none. */
  text: string | null;
  note: FreezeRecord | null;
}

function readComment(text: string | null): Comment {
  const lines = text?.split('\n') ?? [];
  const last = lines.at(-1);
  if (!last?.startsWith('{"fairlead":')) return { text, note: null };
  const words = lines.length > 1 ? lines.slice(0, -1).join('\n') : null;
  return { text: words, note: parseOwnJson<FreezeRecord>(last) };
}

async function getComment(client: CopyClient): Promise<Comment> {
  const { rows } = await client.query<{ text: string | null }>(COMMENT);
  return readComment(rows[0]!.text);
}

/** @returns null for a database that is open */
export const readFreezeRecord = async (client: CopyClient): Promise<FreezeRecord | null> =>
  (await getComment(client)).note;

async function getName(client: CopyClient): Promise<string> {
  const { rows } = await client.query<{ name: string }>('select current_database() as name');
  return pg.escapeIdentifier(rows[0]!.name);
}

/** Other sessions of the database, and whether this role may terminate them. Few roles may see what they are. */
const OTHERS = `
  select a.pid, a.backend_start, a.usename, a.application_name like 'fairlead%' as ours,
    r.rolsuper as mighty, has_table_privilege(r.oid, to_regclass('public.workspaces'), 'insert') as writes,
    (pg_has_role(r.oid, 'usage') or pg_has_role('pg_signal_backend', 'usage'))
      and (not r.rolsuper or current_setting('is_superuser') = 'on') as endable
  from pg_stat_activity a join pg_roles r on r.oid = a.usesysid
  where a.datname = current_database() and a.pid <> pg_backend_pid()
    and coalesce(a.backend_type, 'client backend') = 'client backend'`;

const TRIES = 100;
const PAUSE_MS = 100;

/**
 * Terminates the other sessions, so that they reconnect with the new settings. Sessions of superusers are left alone.
 * @param spared the backend of another connection to keep
 * @throws Error if a session does not end within 10 s
 */
export async function endOtherSessions(client: CopyClient, spared = 0): Promise<void> {
  const { rows: ended } = await client.query<{ pid: number; since: string }>(
    `with others as materialized (select * from (${OTHERS}) o where endable and pid <> $1)
     select pid, backend_start::text as since, pg_terminate_backend(pid) from others`,
    [spared],
  );
  // Only requests termination: a session's current statement runs on until it checks.
  for (let tries = 1; ; tries++) {
    const { rows: left } = await client.query(
      `select from pg_stat_activity a join unnest($1::int[], $2::timestamptz[]) e (pid, since)
         on a.pid = e.pid and a.backend_start is not distinct from e.since limit 1`,
      [ended.map(({ pid }) => pid), ended.map(({ since }) => since)],
    );
    if (!left.length) return;
    if (tries === TRIES) throw new Error('A session of the old database does not end.');
    await delay(PAUSE_MS);
  }
}

/** @throws Error if the client's role lacks the privileges for `freeze` */
export async function assertFreezable(client: CopyClient): Promise<void> {
  const { rows } = await client.query<{ owned: boolean; standby: boolean }>(
    `select pg_has_role(datdba, 'usage') as owned, pg_is_in_recovery() as standby
     from pg_database where datname = current_database()`,
  );
  const { owned, standby } = rows[0]!;
  if (standby) throw new Error('The old database is a standby. Move from its primary.');
  if (!owned) throw new Error('The role does not own the old database, which has to be made read-only.');
  const { rows: others } = await client.query<{ usename: string }>(
    `select usename from (${OTHERS}) o where not endable and (ours or writes and not mighty) limit 1`,
  );
  if (others[0])
    throw new Error(
      `The role ${others[0].usename} is connected to the old database and may write, and this one may not end its sessions. End them first, or use a role that is a member of it.`,
    );
}

/** First key of the advisory locks of this module. */
const LOCK_SPACE = 0x6d6f;
const [MOVING_LOCK, NOTE_LOCK] = [1, 2];

/** Held until the client's connection ends. @returns false where another client holds it */
export async function tryMovingAlone(client: CopyClient): Promise<boolean> {
  const { rows } = await client.query<{ got: boolean }>(
    `select pg_try_advisory_lock(${LOCK_SPACE}, ${MOVING_LOCK}) as got`,
  );
  return rows[0]!.got;
}

/** Runs `work`, which changes the note, exclusively. It can write to a frozen database. */
async function changingNote<T>(
  client: CopyClient,
  work: (note: FreezeRecord | null) => Promise<T>,
): Promise<T> {
  await client.query('begin isolation level read committed read write');
  try {
    await client.query(`select pg_advisory_xact_lock(${LOCK_SPACE}, ${NOTE_LOCK})`);
    const done = await work(await readFreezeRecord(client));
    await client.query('commit');
    return done;
  } catch (error) {
    await client.query('rollback').catch(() => undefined); // a broken connection rolls back automatically
    throw error;
  }
}

async function setNote(client: CopyClient, note: FreezeRecord | null): Promise<void> {
  const { text: words } = await getComment(client);
  const lines = [words, note && JSON.stringify(note)].filter((line) => line !== null);
  const text = lines.length ? pg.escapeLiteral(lines.join('\n')) : 'null';
  await client.query(`comment on database ${await getName(client)} is ${text}`);
}

const isSameNote = (one: FreezeRecord | null, other: FreezeRecord): boolean =>
  one !== null && one.fairlead === other.fairlead && one.at === other.at && one.to === other.to;

/** @param to never with a password */
export const movingTo = (to: string, now: Date): FreezeRecord => ({
  fairlead: 'moving',
  to,
  at: now.toISOString(),
});

/**
 * From then on nobody writes. Sessions that were there before end; those of superusers do not where the role is none.
 * @param mine says so. @throws Error where the role may not (assertFreezable), or the database was moved
 */
export async function freeze(client: CopyClient, mine: FreezeRecord): Promise<void> {
  await assertFreezable(client);
  await changingNote(client, async (note) => {
    if (note?.fairlead === 'moved') throw new Error(`The database has since been moved to ${note.to}.`);
    await setNote(client, mine);
    await client.query(`alter database ${await getName(client)} set default_transaction_read_only = on`);
  });
  await endOtherSessions(client);
}

/** Another session may have written since it was frozen. */
export class OpenedAgainError extends Error {
  override name = 'OpenedAgainError';
}

/**
 * Says that the copy is complete. May be said again with the same `now`, where the answer was lost.
 * @param frozen the note under which it was made. @throws OpenedAgainError where another is there, or none
 */
export async function markMoved(
  client: CopyClient,
  frozen: FreezeRecord,
  to: string,
  now: Date,
): Promise<void> {
  const moved: FreezeRecord = { fairlead: 'moved', to, at: now.toISOString() };
  await changingNote(client, async (note) => {
    if (isSameNote(note, moved)) return;
    if (!isSameNote(note, frozen))
      throw new OpenedAgainError('The old database was made writable again while it was copied.');
    await setNote(client, moved);
  });
}

/**
 * Makes the database writable again.
 * @param only the note to undo; other notes stay
 * @returns the previous note; null if it was writable
 */
export async function thaw(client: CopyClient, only?: FreezeRecord): Promise<FreezeRecord | null> {
  const said = await changingNote(client, async (note) => {
    if (note === null || (only && !isSameNote(note, only))) return note;
    await setNote(client, null);
    await client.query(`alter database ${await getName(client)} reset default_transaction_read_only`);
    return note;
  });
  if (said !== null && (!only || isSameNote(said, only))) await endOtherSessions(client);
  return said;
}

/** To be called at a start. @throws SchemaError for a database that was moved away, or is about to be */
export async function assertNotMoved(db: Database): Promise<void> {
  const { rows } = await sql.raw<{ text: string | null }>(COMMENT).execute(db);
  const { note } = readComment(rows[0]!.text);
  if (note === null) return;
  const undo = 'or make this one writable again: fairlead move --undo';
  throw new SchemaError(
    note.fairlead === 'moved'
      ? `This database was moved to ${note.to} (${note.at}) and is read-only. Start with that one as DATABASE_URL, ${undo}`
      : `Moving this database to ${note.to} was begun (${note.at}) and has not ended. Wait for it, begin it again, ${undo}`,
  );
}
