/**
 * Options of `vi.waitFor` and `expect.poll`: how long tests wait for something to happen: far longer than it takes, even on a busy machine. Only a test that would
 * fail anyway waits so long.
 */
export const PATIENCE = { timeout: 120_000, interval: 20 };
