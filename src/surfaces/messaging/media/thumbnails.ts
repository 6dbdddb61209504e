/**
 * Thumbnails, drawn on request by a process that starts on demand and ends when idle or large, because only the end of
 * a process frees the memory used for decoding. Pictures are drawn one at a time, and waiting users take turns. The
 * most recent ones are kept in memory.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { LRUCache } from 'lru-cache';
import { Problem } from '../../../platform/http/problem.ts';
import { createFairGate } from '../../../platform/limits/fair-gate.ts';
import type { Log } from '../../../platform/logging/log.ts';
import type { ServedFile } from './content.ts';
import { isInlineImage } from './media-type.ts';
import type { FromProcess, ToProcess } from './thumbnail-process.ts';

const MAX_FILE_BYTES = 16 * 1024 * 1024;
const CACHE_BYTES = 8 * 1024 * 1024;
const MAX_WAITING = 500;
/** Time limit of reading, and of drawing. */
const MAX_MS = 20_000;
const IDLE_MS = 30_000;
/** Bytes of the process after which it ends. */
const MAX_MEMORY = 250 * 1024 * 1024;
const ENTRY = fileURLToPath(new URL('./thumbnail-entry.js', import.meta.url));
/** Kept for a file that has no thumbnail. */
const NONE = Buffer.alloc(0);

export interface Thumbnails {
  /**
   * @param path keys for fair queueing, from the widest to the narrowest (fair-gate.ts)
   * @param signal ends the wait for the turn
   * @returns a WebP of at most 640 × 640 pixels, without metadata
   * @throws Problem no_thumbnail; unavailable if too many wait, or if reading or drawing takes too long or fails; any
   * error of reading; the reason of `signal`
   */
  get(file: ServedFile, path: readonly string[], signal?: AbortSignal): Promise<Buffer>;
  close(): Promise<void>;
}

/** Whether a file of this type and size has a thumbnail, unless it turns out to be damaged. */
export const mayHaveThumbnail = (type: string | null, size: number | null): boolean =>
  type !== null && isInlineImage(type) && size !== null && size <= MAX_FILE_BYTES;

const noThumbnail = (): Problem =>
  new Problem('no_thumbnail', 'The file is not an image of a supported type, is damaged, or is too large.');
const unavailable = (detail: string): Problem =>
  new Problem('unavailable', detail, { headers: { 'retry-after': '5' } });

/** @throws Problem unavailable after MAX_MS; the work continues, and its result is ignored */
async function within<T>(work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(unavailable('Creating the thumbnail takes too long.')), MAX_MS);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}

export interface ThumbnailDeps {
  log: Pick<Log, 'error'>;
  /** The first file of the process; for tests. */
  entry?: string;
}

export function createThumbnails({ log, entry = ENTRY }: ThumbnailDeps): Thumbnails {
  const cache = new LRUCache<string, Buffer>({
    maxSize: CACHE_BYTES,
    sizeCalculation: ({ length }) => length + 200,
  });
  const gate = createFairGate({
    capacity: 1,
    maxWaiting: MAX_WAITING,
    refuse: () => unavailable('Too many thumbnails are waiting to be created.'),
  });
  let running: ChildProcess | null = null;
  let idle: NodeJS.Timeout | null = null;
  let closed = false;

  function start(): ChildProcess {
    const child = fork(entry, {
      env: {},
      // None of the parent's: its loaders, its debugger's port.
      execArgv: ['--max-old-space-size=64', '--v8-pool-size=1'],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    child.once('exit', () => {
      if (running === child) running = null;
    });
    child.on('error', (err) => log.error({ err }, 'the thumbnail process failed'));
    return child;
  }

  async function end(): Promise<void> {
    if (idle) clearTimeout(idle);
    const child = running;
    running = null;
    // Without a process ID it never started.
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    child.ref();
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
  }

  /**
   * @returns null if the picture can't be drawn
   * @throws Problem unavailable if drawing takes too long or the process ends; whether the picture caused that is
   * unknown
   */
  async function draw(bytes: ToProcess): Promise<FromProcess['picture']> {
    if (closed) throw unavailable('The server is stopping.');
    if (idle) clearTimeout(idle);
    const child = (running ??= start());
    child.ref();
    child.channel?.ref();
    const over = new AbortController();
    const { signal } = over;
    try {
      const answer = once(child, 'message', { signal }).then(([one]) => one as FromProcess);
      const exit = once(child, 'exit', { signal }).then(([code, killedBy]) => {
        log.error({ code, killedBy }, 'the thumbnail process ended while it drew');
        throw unavailable('The thumbnail could not be created.');
      });
      child.send(bytes);
      // If the process ends after this point, that is not a failure.
      const { picture, memory } = await within(Promise.race([answer, exit])).finally(() => over.abort());
      if (memory > MAX_MEMORY) await end();
      return picture;
    } catch (error) {
      await end();
      throw error;
    } finally {
      child.unref();
      child.channel?.unref();
      idle = setTimeout(() => void end(), IDLE_MS).unref();
    }
  }

  async function readAll(file: ServedFile): Promise<Buffer> {
    const all = Buffer.allocUnsafe(file.size);
    const bytes = await file.read({ start: 0, length: file.size });
    let at = 0;
    try {
      // A piece is only valid until the next one is read.
      for await (const piece of bytes) {
        all.set(piece, at);
        at += piece.length;
      }
    } finally {
      await bytes.close();
    }
    return all.subarray(0, at);
  }

  return {
    async get(file, path, signal) {
      if (!mayHaveThumbnail(file.type, file.size)) throw noThumbnail();
      const key = `${file.workspaceId}/${file.sha256.toString('base64')}`;
      const known = () => cache.get(key);
      const thumbnail =
        known() ??
        (await gate(
          path,
          async () => {
            // Another caller may have waited for the same picture.
            const kept = known();
            if (kept) return kept;
            const drawn = await draw(await within(readAll(file)));
            const picture = drawn ? Buffer.from(drawn) : NONE;
            cache.set(key, picture);
            return picture;
          },
          signal,
        ));
      if (thumbnail.length === 0) throw noThumbnail();
      return thumbnail;
    },
    async close() {
      closed = true;
      await end();
    },
  };
}
