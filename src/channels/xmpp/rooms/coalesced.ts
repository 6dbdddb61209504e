/** Runs work that strangers can trigger without limit: one run at a time, and one more after triggers during it. */

/** @param onFault called when the work fails; the trigger itself never waits or fails */
export function coalesced(work: () => Promise<void>, onFault: (error: unknown) => void): () => void {
  let isWanted = false;
  let isRunning = false;
  const run = async (): Promise<void> => {
    isRunning = true;
    while (isWanted) {
      isWanted = false;
      await work().catch(onFault);
    }
    isRunning = false;
  };
  return () => {
    isWanted = true;
    if (!isRunning) void run();
  };
}
