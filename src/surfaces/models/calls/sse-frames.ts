/**
 * Splits server-sent events into frames without changing a byte, over chunks that are split anywhere.
 * Lines end in LF, CRLF or CR. https://html.spec.whatwg.org/multipage/server-sent-events.html
 */
const LF = 10;
const CR = 13;

export interface Frame {
  /** As received, with the blank line that ends it. */
  bytes: Buffer;
  /** For a frame longer than the limit, which arrives in pieces: whether this is the first piece, and the last. */
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
  /** Whether the current line is empty so far. */
  let isBlank = true;
  /** Whether the current frame has a line. */
  let hasLine = false;
  /** Whether pieces of the current frame were returned. */
  let isInPieces = false;
  /** Whether the last byte was a CR: an LF that follows belongs to the same end of line. */
  let isAfterCr = false;
  /** Whether the last line with text ended in CRLF. */
  let usesCrLf = false;
  /** Whether the frame has ended, but for the LF of its last CRLF. */
  let lacksLf = false;

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
      const endFrame = (end: number): void => {
        frames.push({ bytes: take(buffer.subarray(frameStart, end)), isFirst: !isInPieces, isLast: true });
        frameStart = end;
        hasLine = false;
        isInPieces = false;
        lacksLf = false;
      };
      if (isAfterCr && buffer.length > 0) {
        isAfterCr = false;
        if (buffer[0] === LF) {
          lineStart = 1;
          usesCrLf = true;
        }
        if (lacksLf) endFrame(lineStart);
      }
      let lf = buffer.indexOf(LF, lineStart);
      let cr = buffer.indexOf(CR, lineStart);
      while (lf !== -1 || cr !== -1) {
        const isCr = cr !== -1 && (lf === -1 || cr < lf);
        const end = isCr ? cr : lf;
        const isCrLf = isCr && lf === cr + 1;
        const endsBlank = isBlank && end === lineStart;
        lineStart = end + (isCrLf ? 2 : 1);
        isAfterCr = isCr && lineStart === buffer.length && !isCrLf;
        if (lf !== -1 && lf < lineStart) lf = buffer.indexOf(LF, lineStart);
        if (isCr) cr = buffer.indexOf(CR, lineStart);
        isBlank = true;
        if (!endsBlank) {
          hasLine = true;
          usesCrLf = isCrLf;
          continue;
        }
        // Blank lines between frames belong to the next one.
        if (!hasLine && !isInPieces) continue;
        if (isAfterCr && usesCrLf) lacksLf = true;
        else endFrame(lineStart);
      }
      if (lineStart < buffer.length) isBlank = false;
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

/** Whether a frame is the event `error`, regardless of its data. */
export const isErrorEvent = (frame: Buffer): boolean =>
  frame[0] === EVENT_INITIAL && ERROR_EVENT.test(frame.toString('latin1', 0, 32));

const DATA = 'data:';
const DATA_BYTES = Buffer.from('data: ');

/** Returns the data of a frame; null for a comment, or a frame without data. */
export function readData(frame: Buffer): string | null {
  // Nearly every frame is one line of data.
  if (frame.length > 6 && frame.compare(DATA_BYTES, 0, 6, 0, 6) === 0) {
    const end = frame.indexOf(LF);
    const cr = frame.indexOf(CR);
    const next = frame[end + 1];
    if (end !== -1 && (cr === -1 || cr >= end - 1) && (next === LF || next === CR))
      return frame.toString('utf8', 6, cr === end - 1 ? cr : end);
  }
  const lines = frame
    .toString()
    .split(/\r\n|\r|\n/)
    .filter((line) => line.startsWith(DATA))
    .map((line) => line.slice(line[DATA.length] === ' ' ? DATA.length + 1 : DATA.length));
  return lines.length ? lines.join('\n') : null;
}

const FIELD = /^\uFEFF?(?:data|event|id|retry)?:/;
const MAX_FIELD_BYTES = 9;

/** Detects from the beginning of a response whether it is an event stream; null if more bytes are needed. */
export function looksLikeEvents(beginning: Buffer): boolean | null {
  const text = beginning.toString('utf8', 0, 1_024).replace(/^[\r\n]+/, '');
  if (FIELD.test(text)) return true;
  return text.length < MAX_FIELD_BYTES && /^\uFEFF?[a-z]*$/.test(text) && beginning.length < 1_024
    ? null
    : false;
}
