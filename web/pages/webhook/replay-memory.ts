/** The last replay of each webhook that this browser asked for, so that its progress can be left and found again. */
const key = (webhookId: string): string => `fairlead:replay:${webhookId}`;

export const replayMemory = {
  /** Id of the job, or null. */
  get: (webhookId: string): string | null => localStorage.getItem(key(webhookId)),
  set: (webhookId: string, jobId: string): void => localStorage.setItem(key(webhookId), jobId),
  forget: (webhookId: string): void => localStorage.removeItem(key(webhookId)),
};
