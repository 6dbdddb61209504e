/**
 * A JSON number of others that a double would change: `8202522731445525542`, `10.00`, `1e400`. It is written as it was
 * read. LiquidJS compares it by the methods below, exactly; arithmetic takes it as a double, as any number.
 */

const DECIMAL = /^([+-]?)(\d+)\.?(\d*)(?:[eE]([+-]?\d+))?$/;

interface Decimal {
  digits: bigint;
  exponent: number;
}

function readDecimal(text: string): Decimal {
  const [, sign, whole, fraction, exponent = '0'] = DECIMAL.exec(text)!;
  return {
    digits: BigInt(`${sign}${whole}${fraction}`),
    exponent: Number(exponent) - fraction!.length,
  };
}

/** Returns how many digits a JSON number has when it is written without an exponent, as PostgreSQL shows it. */
export function countDigits(source: string): number {
  const [, , whole, fraction, exponent = '0'] = DECIMAL.exec(source)!;
  return whole!.length + fraction!.length + Math.abs(Number(exponent));
}

/**
 * Compares two decimal numbers by their values: `10.00` equals `1e1`.
 * @returns negative, 0 or positive, like a comparator
 */
export function compareDecimals(one: string, other: string): number {
  const [a, b] = [readDecimal(one), readDecimal(other)];
  const exponent = Math.min(a.exponent, b.exponent);
  const scale = (value: Decimal): bigint => value.digits * 10n ** BigInt(value.exponent - exponent);
  const [left, right] = [scale(a), scale(b)];
  return left < right ? -1 : Number(left > right);
}

/** Not in TypeScript's declarations yet. */
const { rawJSON, isRawJSON } = JSON as unknown as {
  rawJSON(source: string): object;
  isRawJSON(value: unknown): boolean;
};

/** Returns whether a value is what `toJSON` made of an exact number; for replacers of `JSON.stringify`. */
export const isRawJson: (value: unknown) => boolean = isRawJSON;

export class ExactNumber {
  /** Private, so that templates and whatever walks the members of objects see none. */
  readonly #source: string;
  /** @param source a JSON number */
  constructor(source: string) {
    this.#source = source;
  }
  toString(): string {
    return this.#source;
  }
  valueOf(): number {
    return Number(this.#source);
  }
  /** For `JSON.stringify`, which writes it as it was read. */
  toJSON(): object {
    return rawJSON(this.#source);
  }

  #compare(other: unknown): number {
    if (other instanceof ExactNumber) return compareDecimals(this.#source, other.#source);
    // A double that prints back what was read is exact too.
    if (typeof other === 'number' && Number.isFinite(other))
      return compareDecimals(this.#source, String(other));
    // As LiquidJS compares a number with other values.
    return typeof other === 'object' && other !== null ? NaN : Number(this) - Number(other);
  }
  equals(other: unknown): boolean {
    return (typeof other === 'number' || other instanceof ExactNumber) && this.#compare(other) === 0;
  }
  gt(other: unknown): boolean {
    return this.#compare(other) > 0;
  }
  geq(other: unknown): boolean {
    return this.#compare(other) >= 0;
  }
  lt(other: unknown): boolean {
    return this.#compare(other) < 0;
  }
  leq(other: unknown): boolean {
    return this.#compare(other) <= 0;
  }
}
