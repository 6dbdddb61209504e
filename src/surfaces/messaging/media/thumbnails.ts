/**
 * Small versions of pictures, drawn when somebody asks for them, by a process that starts on demand and ends when idle:
 * decoding takes up to 300 MB, which only the end of a process gives back. Pictures are drawn one at a time, and the
 * persons who wait take turns. The last ones are kept in memory.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { LRUCache } from 'lru-cache';
import { Problem } from '../../../platform/http/problem.ts';
import { createFairGate } from '../../../platform/limits/fair-gate.ts';
import type { ServedFile } from './content.ts';
import { isInlineImage } from './media-type.ts';
import type { FromProcess, ToProcess } from './thumbnail-process.ts';

const MAX_FILE_BYTES = 16 * 1024 * 1024;
const CACHE_BYTES = 8 * 1024 * 1024;
const MAX_WAITING = 500;
const MAX_DRAW_MS = 20_000;
const IDLE_MS = 30_000;
const ENTRY = fileURLToPath(new URL('./thumbnail-entry.js', import.meta.url));
/** Kept for a file that has no thumbnail. */
const NONE = Buffer.alloc(0);

export interface Thumbnails {
  /**
   * @param path whose turn it is, from the widest key to the narrowest (fair-gate.ts)
   * @returns a WebP of at most 640 × 640 pixels, without metadata
   * @throws Problem no_thumbnail; unavailable if too many wait or drawing takes too long; what reading throws
   */
  get(file: ServedFile, path: readonly string[]): Promise<Buffer>;
  close(): Promise<void>;
}

/** Whether a file of this type and size has a thumbnail, unless it turns out to be damaged. */
export const mayHaveThumbnail = (type: string | null, size: number | null): boolean =>
  type !== null && isInlineImage(type) && size !== null && size <= MAX_FILE_BYTES;

const noThumbnail = (): Problem =>
  new Problem('no_thumbnail', 'The file is not an image of a supported type, is damaged, or is too large.');
const unavailable = (detail: string): Problem =>
  new Problem('unavailable', detail, { headers: { 'retry-after': '5' } });

export interface ThumbnailDeps {
  log: { error(details: object, message: string): void };
}

export function createThumbnails({ log }: ThumbnailDeps): Thumbnails {
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

  function start(): ChildProcess {
    const child = fork(ENTRY, {
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
    if (child?.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
  }

  /** @returns null if the picture can't be drawn, and when it ends the process */
  async function draw(bytes: ToProcess): Promise<FromProcess> {
    if (idle) clearTimeout(idle);
    const child = (running ??= start());
    child.ref();
    child.channel?.ref();
    const over = new AbortController();
    const signal = AbortSignal.any([over.signal, AbortSignal.timeout(MAX_DRAW_MS)]);
    try {
      const answer = once(child, 'message', { signal }).then(([picture]) => picture as FromProcess);
      const exit = once(child, 'exit', { signal }).then(() => null);
      child.send(bytes);
      return await Promise.race([answer, exit]);
    } catch (error) {
      await end();
      if (signal.aborted) throw unavailable('Creating the thumbnail takes too long.');
      throw error;
    } finally {
      over.abort();
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
    return all;
  }

  return {
    async get(file, path) {
      if (!mayHaveThumbnail(file.type, file.size)) throw noThumbnail();
      const key = `${file.workspaceId}/${file.sha256.toString('base64')}`;
      const known = () => cache.get(key);
      const thumbnail =
        known() ??
        (await gate(path, async () => {
          // Somebody else may have waited for the same one.
          const kept = known();
          if (kept) return kept;
          const drawn = await draw(await readAll(file));
          const picture = drawn ? Buffer.from(drawn) : NONE;
          cache.set(key, picture);
          return picture;
        }));
      if (thumbnail.length === 0) throw noThumbnail();
      return thumbnail;
    },
    close: end,
  };
}
