/** Max-min fair shares: nobody gets more while somebody with less wants more. */

export interface Party {
  /** What it has already. */
  held: number;
  /** What it wants besides. */
  wanted: number;
}

const clamp = (value: number, max: number): number => Math.max(0, Math.min(value, max));

/**
 * Divides what is free, so that those who hold least come first and all end up level, as far as they want.
 * @returns what each party gets; where it does not come out even, the first of them get one more
 */
export function divideMaxMin(free: number, parties: readonly Party[]): number[] {
  const upTo = (level: number) => parties.map(({ held, wanted }) => clamp(level - held, wanted));
  const sum = (amounts: number[]) => amounts.reduce((total, amount) => total + amount, 0);
  let level = 0;
  let above = Math.max(0, ...parties.map(({ held, wanted }) => held + wanted)) + 1;
  while (above - level > 1) {
    const middle = Math.floor((level + above) / 2);
    if (sum(upTo(middle)) <= free) level = middle;
    else above = middle;
  }
  const given = upTo(level);
  const more = upTo(level + 1);
  let left = free - sum(given);
  return given.map((amount, n) => {
    if (left === 0 || more[n] === amount) return amount;
    left -= 1;
    return amount + 1;
  });
}
