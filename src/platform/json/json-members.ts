/**
 * Finds the members of a JSON object in its bytes, so that a value can be replaced while every other byte stays as it was
 * sent: order of keys, digits of numbers, escapes.
 */
import { parseForeignJson } from './foreign-json.ts';
import { findEndOfString } from './json-strings.ts';

const [QUOTE, OPEN, CLOSE, COLON, COMMA] = [34, 123, 125, 58, 44];
const [OPEN_LIST, CLOSE_LIST] = [91, 93];
/** A member of the outermost object. */
export interface JsonMember {
  name: string;
  /** Offset of the first byte of its value. */
  start: number;
  /** Offset after the last byte of its value. */
  end: number;
}

export interface JsonOutline {
  /** Offset after the opening brace. */
  open: number;
  /** Of the outermost object, in order. */
  members: JsonMember[];
  /** Number of members of all objects, nested ones included. */
  count: number;
}

const isSpace = (code: number | undefined): boolean =>
  code === 32 || code === 10 || code === 13 || code === 9;

const skipSpace = (bytes: Buffer, start: number): number => {
  let at = start;
  while (isSpace(bytes[at])) at++;
  return at;
};

/**
 * Outlines an object in one pass, without building its values.
 * @param bytes valid JSON in UTF-8 without a byte order mark, whose value is an object
 */
export function outlineObject(bytes: Buffer): JsonOutline {
  const open = skipSpace(bytes, 0) + 1;
  const members: JsonMember[] = [];
  let count = 0;
  let depth = 1;
  let name: string | null = null;
  let start = 0;
  let end = 0;
  const close = (): void => {
    if (name !== null) members.push({ name, start, end });
    name = null;
  };
  for (let at = open; at < bytes.length && depth > 0;) {
    const code = bytes[at]!;
    if (isSpace(code)) {
      at++;
      continue;
    }
    let next = at + 1;
    if (code === QUOTE) {
      next = findEndOfString(bytes, at + 1) + 1;
      if (depth === 1 && name === null) {
        name = parseForeignJson(bytes.subarray(at, next)) as string;
        start = skipSpace(bytes, skipSpace(bytes, next) + 1);
        count++;
        at = start;
        continue;
      }
    } else if (code === COLON) count++;
    else if (code === COMMA) {
      if (depth === 1) close();
    } else if (code === OPEN || code === OPEN_LIST) depth++;
    else if ((code === CLOSE || code === CLOSE_LIST) && --depth === 0) close();
    end = next;
    at = next;
  }
  return { open, members, count };
}

/** Returns the bytes with values of members replaced. @param changes what stands in place of each */
export function replaceValues(
  bytes: Buffer,
  changes: readonly { member: JsonMember; value: Uint8Array }[],
): Buffer {
  const parts: Uint8Array[] = [];
  let at = 0;
  for (const { member, value } of changes.toSorted((a, b) => a.member.start - b.member.start)) {
    parts.push(bytes.subarray(at, member.start), value);
    at = member.end;
  }
  parts.push(bytes.subarray(at));
  return Buffer.concat(parts);
}
