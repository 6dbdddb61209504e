/**
 * The process that draws thumbnails. Pictures are untrusted, so they are decoded in WebAssembly: a flaw in a decoder
 * reaches only that memory. The process has no environment variables and receives only the picture.
 */
import Vips from 'wasm-vips';

/** Pixels of the longest side. */
const MAX_SIZE = 640;
/** Bytes of the decoded image: 50 million pixels, or fewer with transparency or 16 bits. */
const MAX_DECODED = 150_000_000;
/** The same if the decoder needs all of them in memory. */
const MAX_WHOLE = 75_000_000;
/** Those that are decoded row by row, unless they are interlaced (or progressive). */
const STREAMED = /^(jpeg|png)load/;
const QUALITY = 75;

export type ToProcess = Uint8Array;

export interface FromProcess {
  /** A WebP; null if the file can't be decoded or is too large. */
  picture: Uint8Array | null;
  /** Bytes that the process takes now. The memory of WebAssembly never shrinks. */
  memory: number;
}

/** Answers each message with a thumbnail, in order, until the parent ends the process. */
export async function serve(): Promise<void> {
  const vips = await Vips({ dynamicLibraries: [], printErr: () => undefined });
  vips.concurrency(1);
  vips.Cache.max(0);

  function draw(bytes: Uint8Array): Uint8Array | null {
    const opened = vips.Image.newFromBuffer(bytes);
    const { width, height, bands } = opened;
    const size = width * height * bands * (opened.format === 'uchar' ? 1 : 2);
    const isStreamed = STREAMED.test(opened.getString('vips-loader')) && opened.getTypeof('interlaced') === 0;
    opened.delete();
    if (size > (isStreamed ? MAX_DECODED : MAX_WHOLE)) return null;
    // Turned as its EXIF data says, and without that data, which can name the place where it was taken.
    const small = vips.Image.thumbnailBuffer(bytes, MAX_SIZE, {
      height: MAX_SIZE,
      size: vips.Size.down,
    });
    try {
      return small.writeToBuffer('.webp', { Q: QUALITY, keep: vips.ForeignKeep.none });
    } finally {
      small.delete();
    }
  }

  process.on('message', (bytes: ToProcess) => {
    let picture: FromProcess['picture'] = null;
    try {
      picture = draw(bytes);
    } catch (error) {
      // Errors of the decoder are exceptions of WebAssembly. Any other leaves its memory in an unknown state.
      if (error instanceof Error) process.exit(1);
    }
    process.send!({ picture, memory: process.memoryUsage.rss() } satisfies FromProcess);
  });
  process.on('disconnect', () => process.exit());
}
