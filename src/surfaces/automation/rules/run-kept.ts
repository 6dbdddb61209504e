/** Limits the stored inputs and outputs of steps: enough for diagnosis, with bounded size. */
import { ExactNumber } from '../../../platform/json/exact-number.ts';

const MAX_KEPT = 32_768;
const MAX_TEXTS = [8_192, 1_024, 128];

function cut(value: unknown, longest: number): unknown {
  if (typeof value === 'string') return value.length > longest ? `${value.slice(0, longest)}…` : value;
  if (Array.isArray(value)) return value.slice(0, longest).map((item) => cut(item, longest));
  if (value !== null && typeof value === 'object' && !(value instanceof ExactNumber))
    return Object.fromEntries(
      Object.entries(value)
        .slice(0, longest)
        .map(([name, item]) => [name, cut(item, longest)]),
    );
  return value;
}

/**
 * Returns the input to store.
 * @param input rendered input; long texts are truncated if the total exceeds 32 KiB
 */
export function truncateInput(input: object): Record<string, unknown> {
  if (JSON.stringify(input).length <= MAX_KEPT) return input as Record<string, unknown>;
  for (const longest of MAX_TEXTS) {
    const stored = cut(input, longest);
    if (JSON.stringify(stored).length <= MAX_KEPT) return stored as Record<string, unknown>;
  }
  return { truncated: true };
}
