/** Limits of echo. It is free, so no budget limits its use. */
import { Problem } from '../../../platform/http/problem.ts';
import {
  DEFAULT_JSON_BOUNDS,
  ForeignJsonError,
  type JsonBounds,
  parseForeignJson,
} from '../../../platform/json/foreign-json.ts';
import type { CallJson } from '../contract/input-size.ts';

/** Of a body. Parsed, each value takes about 20 times its bytes. */
export const BODY_BOUNDS: JsonBounds = { ...DEFAULT_JSON_BOUNDS, bytes: 4 * 1024 * 1024, values: 50_000 };

/** A stream takes time, during which it holds no parsed body. */
export interface EchoStream {
  /** Characters of the texts that the stream holds until its end. */
  heldCharacters: number;
  frames: Iterable<string>;
}

/** Streams that hold less don't count: with the limit on open calls, they can't hold much together. */
const FREE_CHARACTERS = 8 * 1024;
/** Of all streams of this process that count. A character takes up to 2 bytes. */
export const MAX_HELD_CHARACTERS = 32 * 1024 * 1024;

/** @throws Problem payload_too_large, before the body is parsed */
export function readBody(bytes: Buffer): CallJson {
  try {
    return parseForeignJson(bytes, BODY_BOUNDS) as CallJson;
  } catch (error) {
    if (!(error instanceof ForeignJsonError)) throw error;
    throw new Problem('payload_too_large', `The body ${error.detail}, the most that fairlead/echo takes.`);
  }
}

/** Counts the memory held by streams. */
export function createHolding() {
  let held = 0;
  return {
    /** Until the signal aborts. @throws Problem rate_limited */
    hold(characters: number, signal: AbortSignal): void {
      if (characters <= FREE_CHARACTERS) return;
      if (held + characters > MAX_HELD_CHARACTERS)
        throw new Problem(
          'rate_limited',
          'fairlead/echo is sending too many long streams at the moment. Read the ones you have open, or send a shorter message.',
          { headers: { 'retry-after': '5' } },
        );
      held += characters;
      signal.addEventListener('abort', () => void (held -= characters), { once: true });
    },
  };
}
