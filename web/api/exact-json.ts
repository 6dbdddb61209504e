/**
 * JSON of others, whose numbers stay as they are written: `8202522731445525542`, `10.00`. A browser that cannot tell how
 * they are written shows them as doubles.
 */

/** Not in TypeScript's declarations yet. */
const { rawJSON } = JSON as unknown as { rawJSON?(source: string): object };
type KeepSource = (name: string, value: unknown, context?: { source?: string }) => unknown;
const parse = JSON.parse as (text: string, reviver: KeepSource) => unknown;

/** A number that a double would change. A class, so that what compares or copies plain objects leaves it as it is. */
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
