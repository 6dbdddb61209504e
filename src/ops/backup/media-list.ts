/**
 * Which contents of media a snapshot names. The list is put aside in a file without a name, however long it is, so that
 * the snapshot can end before gigabytes are read: as long as it lasts, the database can't tidy up behind its queues.
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
  /** By workspace and hash, ascending, each once. To be called once. */
  contents(): AsyncIterable<ListedContent>;
  close(): Promise<void>;
}

const CONTENTS = `
  copy (
    select workspace_id, encode(sha256, 'hex'), max(size) from media
    where state = 'ready' group by workspace_id, sha256 order by workspace_id, sha256
  ) to stdout`;

/** @param beside a path beside which the list may lie for a moment. @returns null where the schema has no media yet */
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
      // By its number: the handle would wait for the stream when it is closed.
      const input = createReadStream('', { fd: file.fd, start: 0, autoClose: false });
      for await (const line of createInterface({ input })) {
        const [workspaceId = '', sha256 = '', size = ''] = line.split('\t');
        yield { workspaceId, sha256, size: Number(size) };
      }
    },
    close: () => file.close(),
  };
}
