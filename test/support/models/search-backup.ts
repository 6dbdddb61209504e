/** Searches a backup for words, in each of its entries as they were before compression. */
import { createReadStream } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import { zstdDecompressSync } from 'node:zlib';
import tar from 'tar-stream';

const ZSTD_MAGIC = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);

/** @returns the entries that hold a word, and how many entries there are */
export async function searchBackup(
  path: string,
  words: readonly string[],
): Promise<{ found: { entry: string; word: string }[]; entries: number }> {
  const found: { entry: string; word: string }[] = [];
  let entries = 0;
  for await (const entry of createReadStream(path).pipe(tar.extract())) {
    const bytes = await buffer(entry);
    const content = bytes.subarray(0, 4).equals(ZSTD_MAGIC) ? zstdDecompressSync(bytes) : bytes;
    entries += 1;
    for (const word of words) if (content.includes(word)) found.push({ entry: entry.header.name, word });
  }
  return { found, entries };
}
