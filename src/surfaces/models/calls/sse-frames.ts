/**
 * Splits server-sent events into frames without changing a byte, over chunks that are split anywhere.
 * Lines end in LF or CRLF. https://html.spec.whatwg.org/multipage/server-sent-events.html
 */
const LF = 10;
const CR = 13;

export interface Frame {
  /** As received, with the blank line that ends it. */
  bytes: Buffer;
  /** Of a frame that is longer than the limit, which comes in pieces: whether this is the first piece, and the last. */
  isFirst: boolean;
  isLast: boolean;
}

export interface FrameSplitter {
  /** Returns the frames that end in this chunk. */
  push(chunk: Uint8Array): Frame[];
  /** Returns the rest. */
  end(): Frame[];
  /** Whether everything that was pushed has been returned, and the next byte begins a frame. */
  isAtBoundary(): boolean;
}

/** @param maxBytes longer frames are returned in pieces, so that memory is bounded */
export function createFrameSplitter(maxBytes: number): FrameSplitter {
  let parts: Buffer[] = [];
  let size = 0;
  /** Whether the current line is empty so far, but for a CR. */
  let isBlank = true;
  /** Whether the current frame has a line. */
  let hasLine = false;
  /** Whether pieces of the current frame were returned. */
  let isInPieces = false;

  const take = (rest: Buffer): Buffer => {
    if (parts.length === 0) return rest;
    const bytes = Buffer.concat([...parts, rest]);
    parts = [];
    size = 0;
    return bytes;
  };

  return {
    push(chunk) {
      const buffer = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
      const frames: Frame[] = [];
      let frameStart = 0;
      let lineStart = 0;
      for (let end = buffer.indexOf(LF); end !== -1; end = buffer.indexOf(LF, lineStart)) {
        const length = end - lineStart;
        const endsBlank = isBlank && (length === 0 || (length === 1 && buffer[lineStart] === CR));
        lineStart = end + 1;
        isBlank = true;
        if (!endsBlank) {
          hasLine = true;
          continue;
        }
        // Blank lines between frames belong to the next one.
        if (!hasLine && !isInPieces) continue;
        frames.push({
          bytes: take(buffer.subarray(frameStart, lineStart)),
          isFirst: !isInPieces,
          isLast: true,
        });
        frameStart = lineStart;
        hasLine = false;
        isInPieces = false;
      }
      if (lineStart < buffer.length) isBlank &&= buffer.length - lineStart === 1 && buffer[lineStart] === CR;
      if (frameStart < buffer.length) {
        const rest = buffer.subarray(frameStart);
        if (size + rest.length > maxBytes) {
          frames.push({ bytes: take(rest), isFirst: !isInPieces, isLast: false });
          isInPieces = true;
        } else {
          parts.push(rest);
          size += rest.length;
        }
      }
      return frames;
    },
    end() {
      if (parts.length === 0) return [];
      return [{ bytes: take(Buffer.alloc(0)), isFirst: !isInPieces, isLast: true }];
    },
    isAtBoundary: () => parts.length === 0 && !isInPieces && isBlank && !hasLine,
  };
}

const ERROR_EVENT = /^\s*event: ?error\s*\n/;
const EVENT_INITIAL = 'e'.charCodeAt(0);

/** Whether a frame is the event `error`, whatever its data. */
export const isErrorEvent = (frame: Buffer): boolean =>
  frame[0] === EVENT_INITIAL && ERROR_EVENT.test(frame.toString('latin1', 0, 32));

const DATA = 'data:';
const DATA_BYTES = Buffer.from('data: ');

/** Returns the data of a frame; null for a comment, or a frame without data. */
export function readData(frame: Buffer): string | null {
  // Nearly every frame is one line of data.
  if (frame.length > 6 && frame.compare(DATA_BYTES, 0, 6, 0, 6) === 0) {
    const end = frame.indexOf(LF);
    const next = frame[end + 1];
    if (end !== -1 && (next === LF || next === CR))
      return frame.toString('utf8', 6, frame[end - 1] === CR ? end - 1 : end);
  }
  const lines = frame
    .toString()
    .split(/\r?\n/)
    .filter((line) => line.startsWith(DATA))
    .map((line) => line.slice(line[DATA.length] === ' ' ? DATA.length + 1 : DATA.length));
  return lines.length ? lines.join('\n') : null;
}
