/**
 * Headers that a workspace adds to its deliveries. They must not break out of a header line, set another host, or
 * change headers for the framing or the signature of the message.
 */
import { escapePointer, type FieldError } from '../../platform/http/problem.ts';

const MAX_BYTES = 8 * 1024;
/** RFC 9110, 5.6.2. */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;
/** RFC 9110, 5.5, without obs-text: visible ASCII, blanks inside only. Empty is allowed. */
const VALUE = /^(?:[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?)?$/;

const RESERVED = new Set([
  'connection',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);
const RESERVED_BEGINNINGS = ['content-', 'proxy-', 'webhook-'];

function isReserved(name: string, also: readonly string[]): boolean {
  const lower = name.toLowerCase();
  return (
    RESERVED.has(lower) ||
    also.includes(lower) ||
    RESERVED_BEGINNINGS.some((beginning) => lower.startsWith(beginning))
  );
}

function toError(
  name: string,
  value: string | null,
  also: readonly string[],
): Omit<FieldError, 'pointer'> | null {
  if (!TOKEN.test(name))
    return {
      code: 'invalid_header_name',
      detail: 'must be a header name of up to 100 characters (RFC 9110)',
    };
  if (isReserved(name, also)) return { code: 'header_not_allowed', detail: 'is always set by Fairlead' };
  if (value !== null && !VALUE.test(value))
    return {
      code: 'invalid_header_value',
      detail: 'must be printable ASCII without line breaks, and must not begin or end with a space',
    };
  return null;
}

/**
 * @param also further names that are not allowed, in lower case
 * @returns field errors, which contain names but never values
 */
export function validateHeaders(
  headers: Record<string, string | null>,
  also: readonly string[] = [],
): FieldError[] {
  const faults: FieldError[] = [];
  const seen = new Set<string>();
  for (const [name, value] of Object.entries(headers)) {
    const pointer = `/headers/${escapePointer(name)}`;
    const fault = toError(name, value, also);
    if (fault) faults.push({ pointer, ...fault });
    else if (seen.has(name.toLowerCase()))
      faults.push({ pointer, code: 'duplicate', detail: 'differs from another header only in case' });
    seen.add(name.toLowerCase());
  }
  if (toBytes(headers) > MAX_BYTES)
    faults.push({
      pointer: '/headers',
      code: 'too_long',
      detail: 'names and values together must not exceed 8 KiB',
    });
  return faults;
}

const toBytes = (headers: Record<string, string | null>): number =>
  Object.entries(headers).reduce(
    (sum, [name, value]) => sum + Buffer.byteLength(name) + Buffer.byteLength(value ?? ''),
    0,
  );
