/** How deep tests go: the nightly tier repeats at full length what the other tiers try in short. */
export const NIGHTLY = process.env['TEST_TIER'] === 'nightly';
