/**
 * Stores the desired state of connections: rows that are created and deleted with the instance, and the columns of
 * `connections` that users change. `connections/` owns the columns about holders.
 */
import { sql } from 'kysely';
import type { Db } from '../../../platform/db/database.ts';

/** Inserts the rows of a new instance. */
export async function insertConnection(db: Db, workspaceId: string, instanceId: string): Promise<void> {
  const row = { workspace_id: workspaceId, instance_id: instanceId };
  await db.insertInto('connections').values(row).execute();
  await db.insertInto('instance_queues').values(row).execute();
}

const ofInstance = (db: Db, workspaceId: string, instanceId: string) =>
  db.updateTable('connections').where('workspace_id', '=', workspaceId).where('instance_id', '=', instanceId);

const AT_ONCE = { due_at: sql<Date>`now()`, failures: 0, failing_since: null };

/**
 * Marks the connection to be opened now; a current holder releases and reopens it. A session that must end is ended
 * first.
 */
export async function setDesiredConnection(db: Db, workspaceId: string, instanceId: string): Promise<void> {
  await ofInstance(db, workspaceId, instanceId)
    .set({
      ...AT_ONCE,
      wanted: true,
      generation: sql`generation + 1`,
    })
    .execute();
}

/** Ends the delay of a connection that waits to be reopened. */
export async function hurryConnection(db: Db, workspaceId: string, instanceId: string): Promise<void> {
  await ofInstance(db, workspaceId, instanceId).set(AT_ONCE).where('node_id', 'is', null).execute();
}

/** A session at the channel that must be ended. */
export interface SessionToEnd {
  /** Credentials that it was opened with, kept until it has ended. */
  credentialsSealed: string | null;
  /** Whether a session may exist although no node holds a connection. */
  maybeOpen: boolean;
}

/**
 * Marks the connection to be closed. With `session`, the account's session at the channel is also ended, even if a node
 * must open a connection for that.
 */
export async function clearDesiredConnection(
  db: Db,
  workspaceId: string,
  instanceId: string,
  session: SessionToEnd | null,
): Promise<void> {
  const ending = session && {
    ...AT_ONCE,
    logs_out: sql<boolean>`logs_out or node_id is not null or ${session.maybeOpen}`,
    logout_credentials_sealed: sql<
      string | null
    >`coalesce(logout_credentials_sealed, ${session.credentialsSealed})`,
  };
  await ofInstance(db, workspaceId, instanceId)
    .set({ wanted: false, ...ending })
    .execute();
}

/** Marks all connections of a workspace to be closed. Locks them in ID order, as holders do. */
export async function disconnectAll(db: Db, workspaceId: string): Promise<void> {
  await sql`
    with locked as materialized (
      select instance_id from connections where workspace_id = ${workspaceId} and wanted
      order by instance_id for no key update
    )
    update connections set wanted = false
    where workspace_id = ${workspaceId} and instance_id in (select instance_id from locked)
  `.execute(db);
}

/**
 * Deletes the rows of an instance: its holder finds no row and closes the connection, and nothing is added to its queue
 * any more.
 */
export async function deleteConnection(db: Db, workspaceId: string, instanceId: string): Promise<void> {
  for (const table of ['connections', 'instance_queues'] as const)
    await db
      .deleteFrom(table)
      .where('workspace_id', '=', workspaceId)
      .where('instance_id', '=', instanceId)
      .execute();
}
