/** What one template may use, in the place of LiquidJS's own counters, which forget some of what can be asked of them. */
import { usedByThread } from './thread-time.ts';

/** Thrown for what a template must not do, with the code of its fault. */
export class OverLimit extends Error {
  readonly code: 'template_timeout' | 'template_too_large';
  constructor(code: OverLimit['code'], message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * Characters and elements that filters, captures and ranges may handle. No single value is then larger than a few MiB,
 * so that a worker's heap is never short by more than V8 forgives.
 */
const MAX_HANDLED = 1_500_000;
/** Milliseconds of CPU time after which a request is stopped from inside, where that can be. */
const MAX_MILLISECONDS = 50;
/** Comparisons of characters that looking for one text in another may take at worst: V8 can't be stopped in it. */
const MAX_COMPARED = 50_000_000;

export interface Limits {
  /** @throws OverLimit */
  use(count: number): void;
  left(): number;
  /** Before a text is looked for in another. @throws OverLimit */
  search(text: number, pattern: number): void;
}

const tooMuch = (): never => {
  throw new OverLimit(
    'template_too_large',
    `it handles more than ${MAX_HANDLED.toLocaleString('en-US')} characters or elements`,
  );
};

export function createLimits(): Limits {
  let used = 0;
  let compared = 0;
  return {
    use(count) {
      if (count > 0) used += count;
      if (used > MAX_HANDLED || Number.isNaN(count)) tooMuch();
    },
    left: () => MAX_HANDLED - used,
    search(text, pattern) {
      compared += text * Math.max(1, Math.min(pattern, text));
      if (compared > MAX_COMPARED)
        throw new OverLimit('template_timeout', 'it looks for long texts in long texts');
    },
  };
}

export interface Clock {
  use(): void;
  check(now: number): void;
}

/**
 * In the place of LiquidJS's `renderLimit`; it asks before each tag and output. What the thread waits for a processor
 * does not count.
 */
export function createClock(usedBefore: number): Clock {
  let recheckAt = performance.now() + MAX_MILLISECONDS;
  return {
    use() {},
    check(now: number): void {
      if (now < recheckAt) return;
      const left = usedBefore + MAX_MILLISECONDS - usedByThread();
      if (left <= 0) throw new OverLimit('template_timeout', `it takes longer than ${MAX_MILLISECONDS} ms`);
      recheckAt = now + Math.max(1, left);
    },
  };
}
