/**
 * What tests start and have to stop again, so that test/setup.ts can stop what a failed test left running. Files that
 * come after it in the same process would be disturbed by it.
 */
export const leftOpen = new Set<{ stop(): Promise<void> }>();
