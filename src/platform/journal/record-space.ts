/** Buffers that records are encoded into. */

/** A buffer for records, with two views of the same memory. */
export interface RecordSpace {
  bytes: Buffer;
  view: DataView;
}

/** Allocates a buffer of `size` bytes, not zeroed. */
export function recordSpace(size: number): RecordSpace {
  const bytes = Buffer.allocUnsafeSlow(size);
  return { bytes, view: new DataView(bytes.buffer, bytes.byteOffset, size) };
}
