/** Stores files in transit between accounts, in chunks, so that no file is ever whole in memory. */
import { Readable } from 'node:stream';
import type { Db } from '../../../platform/db/database.ts';
import type { Account } from './sandbox-account.system-store.ts';

const CHUNK_BYTES = 512 * 1024;

/** Splits into chunks of a fixed size, so that a file sent again after a crash has the same chunks. */
async function* toChunks(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let held: Buffer[] = [];
  let size = 0;
  for await (const chunk of source) {
    held.push(chunk);
    size += chunk.length;
    while (size >= CHUNK_BYTES) {
      const all = Buffer.concat(held);
      yield all.subarray(0, CHUNK_BYTES);
      held = [all.subarray(CHUNK_BYTES)];
      size -= CHUNK_BYTES;
    }
  }
  if (size > 0) yield Buffer.concat(held);
}

export async function saveFile(
  db: Db,
  account: Account,
  clientId: string,
  source: AsyncIterable<Buffer>,
): Promise<void> {
  let part = 0;
  for await (const bytes of toChunks(source))
    await db
      .insertInto('sandbox_files')
      .values({
        workspace_id: account.workspaceId,
        instance_id: account.instanceId,
        client_id: clientId,
        part: part++,
        bytes,
      })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
}

/** Streams the file. Empty if it no longer exists. */
export function openFile(db: Db, instanceId: string, clientId: string): Readable {
  async function* chunks(): AsyncGenerator<Buffer> {
    for (let part = 0; ; part++) {
      const row = await db
        .selectFrom('sandbox_files')
        .select('bytes')
        .where('instance_id', '=', instanceId)
        .where('client_id', '=', clientId)
        .where('part', '=', part)
        .executeTakeFirst();
      if (!row) return;
      yield row.bytes;
    }
  }
  return Readable.from(chunks(), { objectMode: false, highWaterMark: CHUNK_BYTES });
}

/** Returns whether the address belongs to another account of the workspace. */
export async function isAccount(db: Db, account: Account, address: string): Promise<boolean> {
  const row = await db
    .selectFrom('instances')
    .select('id')
    .where('workspace_id', '=', account.workspaceId)
    .where('channel', '=', 'sandbox')
    .where('address', '=', address)
    .where('id', '<>', account.instanceId)
    .executeTakeFirst();
  return row !== undefined;
}
