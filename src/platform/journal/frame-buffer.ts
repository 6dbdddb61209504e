/** The frame that records are encoded into until a commit writes all of them. */
import { type RecordSpace, recordSpace } from './record-space.ts';
import { FRAME_HEADER_BYTES, MAX_FRAME_BYTES } from './segment.ts';

const INITIAL_BUFFER_BYTES = 64 * 1024;

/** How records of a kind are encoded. */
export interface RecordKind<New> {
  /** What a record may take at most, in bytes. */
  maxBytes: (record: New) => number;
  /** Writes a record at `start`, where `maxBytes` are free. @returns the position after it */
  encode: (record: New, space: RecordSpace, start: number) => number;
}

export interface FrameBuffer<New> {
  /** Encodes a record. @returns false if the frame would exceed its maximum size */
  add(record: New): boolean;
  /** Returns the frame, with space for its header. Its bytes are valid until the next `add`. */
  take(): Buffer;
}

export function createFrameBuffer<New>({ maxBytes, encode }: RecordKind<New>): FrameBuffer<New> {
  let space = recordSpace(INITIAL_BUFFER_BYTES);
  let filled = FRAME_HEADER_BYTES;
  return {
    add(record) {
      const needed = filled + maxBytes(record);
      if (needed > space.bytes.length) {
        if (needed > MAX_FRAME_BYTES) return false;
        let size = space.bytes.length;
        while (size < needed) size *= 2;
        const larger = recordSpace(size);
        space.bytes.copy(larger.bytes, 0, 0, filled);
        space = larger;
      }
      filled = encode(record, space, filled);
      return true;
    },
    take() {
      const frame = space.bytes.subarray(0, filled);
      filled = FRAME_HEADER_BYTES;
      return frame;
    },
  };
}
