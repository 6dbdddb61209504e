/** Iterates over the entries of a backup's tar (tar.ts) and reads their contents in bounded chunks. */
import type { FileHandle } from 'node:fs/promises';
import { BLOCK, decodeHeader, END, getPadding } from './tar.ts';
import { damaged } from './backup-error.ts';

const READ_BYTES = 256 * 1024;

export interface ArchiveEntry {
  name: string;
  size: number;
  /** Offset of the content in the file. */
  offset: number;
}

/** @throws BackupError if the file ends before the buffer is full */
async function readExactly(file: FileHandle, buffer: Buffer, offset: number): Promise<Buffer> {
  for (let filled = 0; filled < buffer.length;) {
    const { bytesRead } = await file.read(buffer, filled, buffer.length - filled, offset + filled);
    if (bytesRead === 0) throw damaged('it is truncated');
    filled += bytesRead;
  }
  return buffer;
}

/** Reads an entry's content in pieces. A piece is valid only until the next one is requested. */
export async function* piecesOfEntry(
  file: FileHandle,
  { size, offset }: ArchiveEntry,
): AsyncGenerator<Buffer> {
  const buffer = Buffer.allocUnsafeSlow(Math.min(READ_BYTES, size));
  for (let at = 0; at < size;) {
    const part = buffer.subarray(0, Math.min(buffer.length, size - at));
    yield await readExactly(file, part, offset + at);
    at += part.length;
  }
}

/** @param max maximum size in bytes. @throws BackupError if the entry is larger or truncated */
export async function bytesOfEntry(file: FileHandle, entry: ArchiveEntry, max: number): Promise<Buffer> {
  if (entry.size > max) throw damaged(`${entry.name} is too large`);
  return await readExactly(file, Buffer.allocUnsafeSlow(entry.size), entry.offset);
}

/**
 * Iterates over the entries in file order, starting with the one at offset `from`.
 * @param size the file's size in bytes
 * @throws BackupError if the file contains anything that this program does not write
 */
export async function* getEntries(file: FileHandle, size: number, from = 0): AsyncGenerator<ArchiveEntry> {
  const block = Buffer.allocUnsafe(BLOCK);
  const padding = Buffer.allocUnsafe(BLOCK);
  for (let at = from; ;) {
    await readExactly(file, block, at);
    const header = decodeHeader(block);
    if (header === null) {
      if (size - at !== END.length || !END.equals(await readExactly(file, Buffer.alloc(END.length), at)))
        throw damaged(`no entry begins at byte ${at}`);
      return;
    }
    const end = at + BLOCK + header.size;
    const rest = padding.subarray(0, getPadding(header.size));
    if (end + rest.length > size) throw damaged('it is truncated');
    if ((await readExactly(file, rest, end)).some((byte) => byte !== 0))
      throw damaged(`unexpected data after ${header.name}`);
    yield { name: header.name, size: header.size, offset: at + BLOCK };
    at = end + rest.length;
  }
}
