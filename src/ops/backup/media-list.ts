/**
 * Lists the media contents that a snapshot refers to. The list, of any length, is stored in an unlinked file, so that
 * the snapshot can end before gigabytes are read: while it lasts, the database can't vacuum its queues.
 */
import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { createInterface } from 'node:readline/promises';
import { to as copyTo } from 'pg-copy-streams';
import type { CopyClient } from '../../platform/db/copy/client.ts';

export interface ListedContent {
  workspaceId: string;
  sha256: string;
  /** Bytes. */
  size: number;
}

export interface MediaList {
  /** Iterates over the distinct contents in ascending order of workspace and hash. Must be called only once. */
  contents(): AsyncIterable<ListedContent>;
  close(): Promise<void>;
}

const CONTENTS = `
  copy (
    select workspace_id, encode(sha256, 'hex'), max(size) from media
    where state = 'ready' group by workspace_id, sha256 order by workspace_id, sha256
  ) to stdout`;

/**
 * @param beside the temporary file is briefly created next to this path. @returns null if the schema has no media yet
 */
export async function listMedia(client: CopyClient, beside: string): Promise<MediaList | null> {
  const { rows } = await client.query(`select to_regclass('public.media') is not null as known`);
  if (!rows[0].known) return null;
  const path = `${beside}.media-${randomBytes(6).toString('hex')}`;
  const file = await open(path, 'wx+', 0o600);
  try {
    await rm(path);
    for await (const bytes of client.query(copyTo(CONTENTS)) as AsyncIterable<Buffer>)
      await file.appendFile(bytes);
  } catch (error) {
    await file.close();
    throw error;
  }
  return {
    async *contents() {
      // Uses the descriptor number: closing the handle would otherwise wait for the stream.
      const input = createReadStream('', { fd: file.fd, start: 0, autoClose: false });
      for await (const line of createInterface({ input })) {
        const [workspaceId = '', sha256 = '', size = ''] = line.split('\t');
        yield { workspaceId, sha256, size: Number(size) };
      }
    },
    close: () => file.close(),
  };
}
