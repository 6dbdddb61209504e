/** Collects form fields into a payload: names are kept as written (`a[b]`), repeated fields become arrays. */
import { readLosslessJson } from '../../../../platform/http/json-body.ts';
import { escapePointer, invalid, type Problem } from '../../../../platform/http/problem.ts';

const MAX_FIELDS = 1_000;
const MAX_NAME = 200;

const OPENS = /^\s*[[{]/;
const CLOSES = /[\]}]\s*$/;

/** Returns whether a text looks like a JSON object or array. */
export const looksLikeJson = (text: string): boolean =>
  OPENS.test(text.slice(0, 200)) && CLOSES.test(text.slice(-200));

export interface Fields {
  /** @throws Problem invalid_request */
  add(name: string, value: unknown): void;
  /**
   * Returns the payload. GitHub and Slack send JSON in a form with the single field `payload`; that JSON then is the
   * payload.
   * @throws Problem invalid_json if that field contains invalid JSON
   */
  payload(): unknown;
}

export function createFields(): Fields {
  const values = new Map<string, unknown[]>();
  let count = 0;
  const fault = (detail: string, pointer = ''): Problem =>
    invalid([{ pointer, code: 'invalid_value', detail }]);
  return {
    add(name, value) {
      if (++count > MAX_FIELDS) throw fault(`a form may have at most ${MAX_FIELDS} fields`);
      if (name.length > MAX_NAME) throw fault(`names may have at most ${MAX_NAME} characters`);
      if (name === '__proto__') throw fault('is not a valid field name', '/__proto__');
      const before = values.get(name);
      if (before) before.push(value);
      else values.set(name, [value]);
    },
    payload() {
      const [only, ...others] = values.get('payload') ?? [];
      if (values.size === 1 && others.length === 0 && typeof only === 'string' && looksLikeJson(only))
        return readLosslessJson(Buffer.from(only));
      return Object.fromEntries([...values].map(([name, all]) => [name, all.length === 1 ? all[0] : all]));
    },
  };
}

export const pointerTo = (name: string): string => `/${escapePointer(name)}`;
