/**
 * JSON from others, whose numbers are shown as written: `8202522731445525542`, `10.00`. Browsers that can't access a
 * number's source text show it as a double.
 */

/** Not in TypeScript's declarations yet. */
const { rawJSON } = JSON as unknown as { rawJSON?(source: string): object };
type KeepSource = (name: string, value: unknown, context?: { source?: string }) => unknown;
const parse = JSON.parse as (text: string, reviver: KeepSource) => unknown;

/**
 * A number that a double can't represent exactly. It is a class so that code that compares or copies plain objects
 * leaves it unchanged.
 */
export class ExactNumber {
  readonly #source: string;
  constructor(source: string) {
    this.#source = source;
  }
  toJSON(): object {
    return rawJSON!(this.#source);
  }
  toString(): string {
    return this.#source;
  }
  valueOf(): number {
    return Number(this.#source);
  }
}

/** Whether a value has members or items. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !(value instanceof ExactNumber);

/** As `JSON.parse`, with an `ExactNumber` where a double would change a number. @throws SyntaxError */
export const parseJson = (text: string): unknown =>
  parse(text, (_name, value, context) =>
    typeof value === 'number' && rawJSON && context?.source !== undefined && context.source !== String(value)
      ? new ExactNumber(context.source)
      : value,
  );

/** @throws SyntaxError */
export const indentJson = (text: string): string => JSON.stringify(parseJson(text), null, 2);
