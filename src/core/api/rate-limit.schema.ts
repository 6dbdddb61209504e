/** A rate as the API takes and shows it: of keys that call, and of webhooks that are called. */
import Type, { type Static } from 'typebox';

const MOST = 1_000_000;

export const RateLimit = Type.Object(
  {
    limit: Type.Integer({ minimum: 1, maximum: MOST, description: 'Requests per minute.', examples: [600] }),
    burst: Type.Integer({
      minimum: 1,
      maximum: MOST,
      description: 'Burst size in requests.',
      examples: [120],
    }),
  },
  {
    title: 'RateLimit',
    additionalProperties: false,
    description: 'A token bucket.',
    examples: [{ limit: 600, burst: 120 }],
  },
);

/** The accepted input: a bucket, a number of requests per minute, or null for no limit. */
export const RateLimitInput = (description: string) =>
  Type.Union([RateLimit, Type.Integer({ minimum: 1, maximum: MOST }), Type.Null()], {
    description,
    examples: [{ limit: 600, burst: 120 }],
  });

type Bucket = Static<typeof RateLimit>;

const BURST_SHARE = 5;

/** Converts the caller's input to a bucket: a number means requests per minute, with a burst of one fifth. */
export function getRateLimit(given: Bucket | number | null): Bucket | null {
  return typeof given === 'number' ? { limit: given, burst: Math.ceil(given / BURST_SHARE) } : given;
}
