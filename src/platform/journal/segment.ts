/**
 * File format of journal segments: a header, then one frame per commit, then the end of the file or zeros.
 *
 *   header  'FLCLICKS' · version 4 · number 4 · journal ID 16 · crc32 of these 4
 *   frame   mark 4 · length of the payload 4 · crc32 of mark, length and payload 4 · payload
 *
 * The magic and the names of files are those of the first journals, which held clicks. The mark is the first four bytes of
 * the journal's random ID, which nobody outside knows. It is used to find the frames
 * behind a damaged one. Numbers are little-endian. Segments are numbered from 0 without gaps.
 */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';

const MAGIC = Buffer.from('FLCLICKS');
const VERSION = 1;
export const SEGMENT_HEADER_BYTES = 36;
export const FRAME_HEADER_BYTES = 12;
/** Maximum size of a frame, including its header. */
export const MAX_FRAME_BYTES = 4 * 1024 * 1024;

const NAME = /^(\d{8})\.clicks$/;

export const segmentPath = (folder: string, segment: number): string =>
  join(folder, `${String(segment).padStart(8, '0')}.clicks`);

/** Lists the numbers of a journal's segments in ascending order. */
export async function listSegments(folder: string): Promise<number[]> {
  const names = await readdir(folder);
  return names
    .map((name) => NAME.exec(name)?.[1])
    .filter((number) => number !== undefined)
    .map(Number)
    .sort((one, other) => one - other);
}

const idBytes = (journalId: string): Buffer => Buffer.from(journalId.replaceAll('-', ''), 'hex');

/** Returns the mark that frames of this journal begin with. */
export const frameMark = (journalId: string): Buffer => idBytes(journalId).subarray(0, 4);

export function segmentHeader(journalId: string, segment: number): Buffer {
  const header = Buffer.alloc(SEGMENT_HEADER_BYTES);
  MAGIC.copy(header);
  header.writeUInt32LE(VERSION, 8);
  header.writeUInt32LE(segment, 12);
  idBytes(journalId).copy(header, 16);
  header.writeUInt32LE(crc32(header.subarray(0, 32)), 32);
  return header;
}

/**
 * Returns whether `bytes` begin with the header of this segment.
 * @throws if a newer version wrote the segment: it must then neither be read nor removed
 */
export function isSegmentHeader(bytes: Buffer, journalId: string, segment: number): boolean {
  if (bytes.length < SEGMENT_HEADER_BYTES || !bytes.subarray(0, 8).equals(MAGIC)) return false;
  if (crc32(bytes.subarray(0, 32)) !== bytes.readUInt32LE(32)) return false;
  const version = bytes.readUInt32LE(8);
  if (version > VERSION)
    throw new Error(
      `Journal ${journalId} has version ${version}, but this release only reads ${VERSION}. Start a newer release.`,
    );
  return bytes.readUInt32LE(12) === segment && bytes.subarray(16, 32).equals(idBytes(journalId));
}

/** Writes the header of the frame whose payload is in `bytes` between FRAME_HEADER_BYTES and `end`. */
export function sealFrame(bytes: Buffer, end: number, mark: Buffer): void {
  bytes[0] = mark[0]!;
  bytes[1] = mark[1]!;
  bytes[2] = mark[2]!;
  bytes[3] = mark[3]!;
  bytes.writeUInt32LE(end - FRAME_HEADER_BYTES, 4);
  const crc = crc32(bytes.subarray(FRAME_HEADER_BYTES, end), crc32(bytes.subarray(0, 8)));
  bytes.writeUInt32LE(crc, 8);
}

/**
 * Checks the frame at `at`. Returns its length if it is valid, 0 if it is invalid, or a negative number: the bytes that
 * are needed to check it.
 */
export function frameAt(bytes: Buffer, at: number, mark: Buffer): number {
  if (at + FRAME_HEADER_BYTES > bytes.length) return -FRAME_HEADER_BYTES;
  if (mark.compare(bytes, at, at + 4) !== 0) return 0;
  const length = FRAME_HEADER_BYTES + bytes.readUInt32LE(at + 4);
  if (length > MAX_FRAME_BYTES) return 0;
  if (at + length > bytes.length) return -length;
  const crc = crc32(bytes.subarray(at + FRAME_HEADER_BYTES, at + length), crc32(bytes.subarray(at, at + 8)));
  return crc === bytes.readUInt32LE(at + 8) ? length : 0;
}
