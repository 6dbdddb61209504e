/** Remembers the last replay job of each webhook in this browser, so that its progress is shown after a reload. */
const key = (webhookId: string): string => `fairlead:replay:${webhookId}`;

export const replayMemory = {
  /** Returns the job ID, or null. */
  get: (webhookId: string): string | null => localStorage.getItem(key(webhookId)),
  set: (webhookId: string, jobId: string): void => localStorage.setItem(key(webhookId), jobId),
  forget: (webhookId: string): void => localStorage.removeItem(key(webhookId)),
};
