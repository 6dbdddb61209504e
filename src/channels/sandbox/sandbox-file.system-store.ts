/** Files on their way from one account to another: in pieces, so that none is ever whole in memory. */
import { Readable } from 'node:stream';
import type { Db } from '../../platform/db/database.ts';
import type { Account } from './sandbox-account.system-store.ts';

const PIECE_BYTES = 512 * 1024;

/** Pieces of one size, so that a file that comes again after a crash is cut as the first time. */
async function* getPieces(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let held: Buffer[] = [];
  let size = 0;
  for await (const chunk of source) {
    held.push(chunk);
    size += chunk.length;
    while (size >= PIECE_BYTES) {
      const all = Buffer.concat(held);
      yield all.subarray(0, PIECE_BYTES);
      held = [all.subarray(PIECE_BYTES)];
      size -= PIECE_BYTES;
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
  for await (const bytes of getPieces(source))
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

/** Its bytes, piece by piece. Empty where it is gone. */
export function openFile(db: Db, instanceId: string, clientId: string): Readable {
  async function* pieces(): AsyncGenerator<Buffer> {
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
  return Readable.from(pieces(), { objectMode: false, highWaterMark: PIECE_BYTES });
}

/** Whether a file for this address has somebody to receive it. */
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
