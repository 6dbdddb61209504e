/**
 * A disk that loses what was not synced, for a process that is started with `--import` of this file: what is written to
 * segments reaches the file only when it is synced, so that SIGKILL does to it what a power failure does.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const held = new Map<number, { bytes: Buffer; position: number }[]>();
const { open, write, writeSync, fdatasync } = fs;

fs.open = ((path: string, ...rest: unknown[]) => {
  const done = rest.pop() as (error: Error | null, fd: number) => void;
  (open as (...all: unknown[]) => void)(path, ...rest, (error: Error | null, fd: number) => {
    if (!error) {
      if (path.endsWith('.clicks')) held.set(fd, []);
      else held.delete(fd);
    }
    done(error, fd);
  });
}) as typeof fs.open;

function keep(fd: number, buffer: Buffer, offset: number, length: number, position: number): boolean {
  const of = held.get(fd);
  of?.push({ bytes: Buffer.from(buffer.subarray(offset, offset + length)), position });
  return of !== undefined;
}

fs.writeSync = ((fd: number, ...rest: [Buffer, number, number, number]) =>
  keep(fd, ...rest)
    ? rest[2]
    : (writeSync as (...all: unknown[]) => number)(fd, ...rest)) as typeof fs.writeSync;

fs.write = ((fd: number, ...rest: [Buffer, number, number, number, (...all: unknown[]) => void]) => {
  const [buffer, offset, length, position, done] = rest;
  if (keep(fd, buffer, offset, length, position)) setImmediate(done, null, length, buffer);
  else (write as (...all: unknown[]) => void)(fd, ...rest);
}) as typeof fs.write;

fs.fdatasync = ((fd: number, done: (error: Error | null) => void) => {
  for (const { bytes, position } of held.get(fd)?.splice(0) ?? [])
    writeSync(fd, bytes, 0, bytes.length, position);
  fdatasync(fd, done);
}) as typeof fs.fdatasync;

syncBuiltinESMExports();
