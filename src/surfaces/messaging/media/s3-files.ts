/**
 * Stores media in an S3-compatible object store. A received file is spooled to an unlinked local file, so that nothing
 * remains after a crash; once its hash and length are known it is sent in one atomic request, under its content's name
 * and before the transaction, which would otherwise hold a database connection for as long. The transaction only
 * checks, under the content's lock, that it is still there. Uploads without a row are removed immediately, or by the
 * sweep after a crash.
 */
import { randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Problem } from '../../../platform/http/problem.ts';
import type { Log } from '../../../platform/logging/log.ts';
import { type S3Client, S3Error } from '../../../platform/storage/s3/s3-client.ts';
import type { S3Listing } from '../../../platform/storage/s3/s3-xml.ts';
import { storageFull } from '../../../platform/storage/disk-watch.ts';
import {
  getPieces,
  assertDiskSpace,
  type DiskSpaceRules,
  DEFAULT_DISK_SPACE_RULES,
  tidyingCounter,
  writeIncoming,
  toWriteError,
} from './incoming.ts';
import {
  type FileBytes,
  getKey,
  type MediaFiles,
  type ReceivedMedia,
  type Span,
  UUID,
} from './media-files.ts';

/** Prefix of objects that test the store at start (s3-check.ts). */
export const TRIALS = 'trials/';
const KEY = /^([0-9a-f-]{36})\/([0-9a-f]{2})\/(\2[0-9a-f]{62})$/;
/** Maximum interruptions while reading one file: each attempt continues where the last one broke off. */
const MAX_BREAKS = 5;
const RETRY_AFTER = { headers: { 'retry-after': '10' } };
/** Time limit of a check, shorter than that of /readyz, and minimum interval between checks. */
const CHECKED_FOR_MS = 2_000;
const CHECK_WITHIN_MS = 1_500;
const REPEAT_LOG_MS = 60_000;

export interface S3FilesDeps {
  client: S3Client;
  /** Folder for files being received. */
  spool: string;
  log: Pick<Log, 'warn'>;
  /** Removes a content that was sent and got no row, unless another refers to it. */
  abandoned: (workspaceId: string, sha256: string) => Promise<unknown>;
  /** Free space to keep on the spool's disk. */
  rules?: DiskSpaceRules;
}

export function createS3Files({
  client,
  spool,
  log,
  abandoned,
  rules = DEFAULT_DISK_SPACE_RULES,
}: S3FilesDeps): MediaFiles {
  let toldAt = Number.NEGATIVE_INFINITY;
  let checked = { at: Number.NEGATIVE_INFINITY, state: 'ok' as 'ok' | 'degraded' };

  const report = (error: unknown): void => {
    if (performance.now() - toldAt < REPEAT_LOG_MS) return;
    toldAt = performance.now();
    log.warn({ err: error }, 'media store (S3_URL): request failed');
  };

  /** Converts its errors for callers. */
  const asked = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      if (!(error instanceof S3Error)) throw error;
      report(error);
      if (error.status === 507) throw storageFull('The store of files is full.');
      throw new Problem('unavailable', 'The file store is unreachable.', RETRY_AFTER);
    }
  };

  const received = (
    handle: FileHandle,
    written: Awaited<ReturnType<typeof writeIncoming>>,
  ): ReceivedMedia => {
    const sha256 = written.sha256.toString('hex');
    let sentTo: string | null = null;
    let isAdopted = false;
    let isOpen = true;
    const ensure = async (workspaceId: string): Promise<void> => {
      const key = getKey(workspaceId, sha256);
      const { size } = written;
      if ((await asked(client.getSize(key))) === size) return;
      sentTo = workspaceId;
      const again = () => getPieces(handle, { start: 0, length: size });
      await asked(client.put(key, { size, sha256, open: again }));
    };
    return {
      ...written,
      bring: ensure,
      async adopt(workspaceId) {
        await ensure(workspaceId);
        isAdopted = true;
      },
      async discard() {
        if (!isOpen) return;
        isOpen = false;
        await handle.close();
        if (sentTo !== null && !isAdopted) await abandoned(sentTo, sha256).catch(report); // the sweep will find it
      },
    };
  };

  /** Continues where the store broke off, as long as there is progress in between. */
  async function* pieces(key: string, span: Span, first: AsyncIterable<Uint8Array>, closing: AbortSignal) {
    const passed = tidyingCounter();
    let source = first;
    let at = 0;
    for (let breaks = 0; ; breaks++) {
      const from = at;
      try {
        for await (const bytes of source) {
          const piece = bytes.subarray(0, span.length - at);
          at += piece.length;
          passed(piece.length);
          yield piece;
          if (at === span.length) return;
        }
        throw new Error('the store sent less than it said');
      } catch (error) {
        if (closing.aborted || at === from || breaks === MAX_BREAKS) throw error;
        const rest = await client.get(key, span.start + at, span.length - at);
        if (!rest) throw error;
        source = rest;
      }
    }
  }

  const listed = async function* (prefix: string) {
    let token: string | null = null;
    do {
      const { objects, nextToken }: S3Listing = await asked(client.list(prefix, { token }));
      yield objects;
      token = nextToken;
    } while (token !== null);
  };

  return {
    async receive(bytes, announced) {
      await mkdir(spool, { recursive: true, mode: 0o700 });
      await assertDiskSpace(spool, announced, rules);
      const path = join(spool, randomUUID());
      const handle = await open(path, 'wx+', 0o600);
      try {
        await rm(path);
        return received(handle, await writeIncoming(handle, bytes));
      } catch (error) {
        await handle.close();
        throw toWriteError(error);
      }
    },
    async read(workspaceId, sha256, span): Promise<FileBytes | null> {
      const key = getKey(workspaceId, sha256.toString('hex'));
      const body = await asked(client.get(key, span.start, span.length));
      if (!body) return null;
      const closing = new AbortController();
      return {
        [Symbol.asyncIterator]: () => pieces(key, span, body, closing.signal),
        async close() {
          closing.abort();
          if (!body.readableEnded) body.on('error', () => undefined).destroy();
        },
      };
    },
    remove: (workspaceId, sha256) => asked(client.remove(getKey(workspaceId, sha256))),
    async removeWorkspace(workspaceId) {
      for await (const objects of listed(`${workspaceId}/`))
        await asked(client.removeAll(objects.map(({ key }) => key)));
    },
    async removeIncoming(before) {
      let removed = 0;
      for await (const objects of listed(TRIALS)) {
        const old = objects.filter(({ modifiedAt }) => modifiedAt < before);
        await asked(client.removeAll(old.map(({ key }) => key)));
        removed += old.length;
      }
      return removed;
    },
    async *storedBefore(before) {
      for await (const objects of listed(''))
        for (const { key, modifiedAt } of objects) {
          const [, workspaceId = '', , sha256] = KEY.exec(key) ?? [];
          if (sha256 && UUID.test(workspaceId) && modifiedAt < before) yield { workspaceId, sha256 };
        }
    },
    async check() {
      if (performance.now() - checked.at < CHECKED_FOR_MS) return checked.state;
      const late = AbortSignal.timeout(CHECK_WITHIN_MS);
      const state = await Promise.race([
        client.list(TRIALS, { max: 1 }).then(() => 'ok' as const),
        new Promise<never>((_resolve, reject) =>
          late.addEventListener('abort', () =>
            reject(new S3Error('the store does not respond in time', null)),
          ),
        ),
      ]).catch((error: unknown) => {
        report(error);
        return 'degraded' as const;
      });
      checked = { at: performance.now(), state };
      return state;
    },
    close: () => client.close(),
  };
}
