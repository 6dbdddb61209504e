/** The axes of a bar chart. */

const MAX_STEPS = 3;
const NICE = [1, 2, 5];
/** Intervals between two labels of the time axis: whole parts of a day, or days. */
const LABEL_STEPS = [1, 2, 3, 4, 6, 12, 24, 48, 72, 96];

/**
 * Returns the ticks of the axis: from 0 to at least `max`, in two to four round steps.
 * @param fractions whether steps below 1 are allowed
 */
export function niceTicks(max: number, fractions = false): number[] {
  let power = fractions && max > 0 ? Math.min(1, 10 ** (Math.floor(Math.log10(max)) - 1)) : 1;
  for (;;) {
    for (const nice of NICE) {
      const step = nice * power;
      const steps = Math.max(1, Math.ceil(max / step));
      if (steps <= MAX_STEPS) return Array.from({ length: steps + 1 }, (_, at) => at * step);
    }
    power *= 10;
  }
}

/**
 * Returns which intervals have a label, evenly spaced: the last one is among them, except where labels are whole days of
 * hours. @param room how many labels fit
 */
export function labeledIntervals(count: number, room: number): number[] {
  const fits = (step: number): boolean => Math.ceil(count / step) <= Math.max(1, room);
  const step = LABEL_STEPS.find(fits) ?? count;
  const first = step % 24 === 0 || count === 0 ? 0 : (count - 1) % step;
  return Array.from({ length: Math.ceil((count - first) / step) }, (_, at) => first + at * step);
}

/** Returns the height of the highest bar: of the stacked series, or of the mark. */
export function highestBar(stack: readonly (readonly number[])[], mark: readonly number[] = []): number {
  const sums = (stack[0] ?? []).map((_, at) => stack.reduce((sum, values) => sum + (values[at] ?? 0), 0));
  return Math.max(0, ...sums, ...mark);
}
