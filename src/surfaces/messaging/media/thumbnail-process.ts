/**
 * The process that draws thumbnails. A picture can come from anybody, so it is decoded in WebAssembly, whose memory is
 * all that a flaw of a decoder reaches; the process has no environment and knows nothing but the picture.
 */
import Vips from 'wasm-vips';

/** Pixels of the longest side. */
const MAX_SIZE = 640;
/** Some formats are decoded whole: then this takes 200 MB. */
const MAX_PIXELS = 50_000_000;
const QUALITY = 75;

export type ToProcess = Uint8Array;
/** A WebP; null if the file can't be decoded or has too many pixels. */
export type FromProcess = Uint8Array | null;

/** Answers each message with a thumbnail, in order, until the parent ends the process. */
export async function serve(): Promise<void> {
  const vips = await Vips({ dynamicLibraries: [], printErr: () => undefined });
  vips.concurrency(1);
  vips.Cache.max(0);

  function draw(bytes: Uint8Array): Uint8Array | null {
    const opened = vips.Image.newFromBuffer(bytes);
    const { width, height } = opened;
    opened.delete();
    if (width * height > MAX_PIXELS) return null;
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
    let picture: FromProcess = null;
    try {
      picture = draw(bytes);
    } catch (error) {
      // Errors of the decoder are exceptions of WebAssembly. Any other leaves its memory in an unknown state.
      if (error instanceof Error) process.exit(1);
    }
    process.send!(picture);
  });
  process.on('disconnect', () => process.exit());
}
