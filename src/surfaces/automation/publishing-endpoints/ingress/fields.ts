/** The fields of a form as a payload: names as they are written (`a[b]` stays), what comes more than once as an array. */
import { readJson } from '../../../../platform/http/json-body.ts';
import { escapePointer, invalid, type Problem } from '../../../../platform/http/problem.ts';
import { unstorableText } from '../../../../platform/http/validation.ts';

const MAX_FIELDS = 1_000;
const MAX_NAME = 200;

const OPENS = /^\s*[[{]/;
const CLOSES = /[\]}]\s*$/;

/** Whether a text is meant as an object or array of JSON. */
export const looksLikeJson = (text: string): boolean =>
  OPENS.test(text.slice(0, 200)) && CLOSES.test(text.slice(-200));

export interface Fields {
  /** @throws Problem invalid_request */
  add(name: string, value: unknown): void;
  /**
   * GitHub and Slack put JSON into a form with the one field `payload`: then that is the payload.
   * @throws Problem invalid_json where such a field holds JSON that can't be read; invalid_request for text that can't be kept
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
        return readJson(Buffer.from(only));
      const payload = Object.fromEntries(
        [...values].map(([name, all]) => [name, all.length === 1 ? all[0] : all]),
      );
      const faults = unstorableText(payload);
      if (faults.length) throw invalid(faults);
      return payload;
    },
  };
}

export const pointerTo = (name: string): string => `/${escapePointer(name)}`;
