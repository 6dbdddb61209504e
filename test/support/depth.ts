/** How deep tests go: the nightly tier repeats at full length what the other tiers try in short. */
export const NIGHTLY = process.env['TEST_TIER'] === 'nightly';

/** Returns all variants in the nightly tier, elsewhere the first `count`. */
export const variants = <T>(all: readonly T[], count = 1): readonly T[] =>
  NIGHTLY ? all : all.slice(0, count);
