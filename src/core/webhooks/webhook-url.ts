/** The address of a webhook: its form. Whether it may be called is for the egress guard to say. */
import type { FieldError } from '../../platform/http/problem.ts';
import { isHttpUrl } from '../../platform/http/validation.ts';
import { readInspectUrl } from './inspect-token.ts';
import { MAX_URL } from './webhook.schema.ts';

/** @throws Problem address_not_allowed if the address, or an address that its name resolves to, is not allowed */
export type AssertUrlAllowed = (url: string, pointer: string) => Promise<void>;

/** The egress guard's check, but for addresses of the built-in inspector, which are handed over in process. */
export const exceptInspector =
  (baseUrl: string, assertUrlAllowed: AssertUrlAllowed): AssertUrlAllowed =>
  async (url, pointer) => {
    if (readInspectUrl(baseUrl, url) === null) await assertUrlAllowed(url, pointer);
  };

function toError(text: string): Omit<FieldError, 'pointer'> | null {
  if (!isHttpUrl(text)) return { code: 'invalid_url', detail: 'must be http or https' };
  const { username, password, href } = new URL(text);
  if (username || password)
    return { code: 'invalid_url', detail: 'must not contain credentials; send them in a header' };
  if (href.includes('#')) return { code: 'invalid_url', detail: 'must not have a fragment' };
  if (href.length > MAX_URL)
    return { code: 'too_long', detail: `must have at most ${MAX_URL} characters when encoded` };
  return null;
}

/**
 * Returns the URL in `url` or `target_url` of a body, as WHATWG normalizes it.
 * @param faults receives field errors
 * @returns null if it is missing or invalid
 */
export function readUrl(
  body: { url?: string; target_url?: string },
  faults: FieldError[],
): { url: string; pointer: string } | null {
  const read = (['url', 'target_url'] as const).flatMap((name) => {
    const text = body[name];
    if (text === undefined) return [];
    const pointer = `/${name}`;
    const fault = toError(text);
    if (!fault) return [{ url: new URL(text).href, pointer }];
    faults.push({ pointer, ...fault });
    return [];
  });
  const [first, second] = read;
  if (first && second && first.url !== second.url)
    faults.push({
      pointer: '/target_url',
      code: 'ambiguous',
      detail: 'is an alias of url; send one of them, or the same value',
    });
  return first ?? null;
}
