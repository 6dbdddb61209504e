/** The interface through which services ask for slow work. Behind it stands pg-boss (jobs.ts). */
import type { Db } from '../db/database.ts';

/** Queue → its payload. Surfaces add theirs (`<surface>-jobs.ts`). Payloads hold no secret in clear. */
export interface JobPayloads {
  /** A mail sealed by the secret box (it may hold a reset link); see src/platform/mail. */
  'mail.send': { sealed: string };
}

export type JobName = keyof JobPayloads;

export interface JobQueue {
  /**
   * Enqueues within the given transaction: the job exists if and only if the change commits.
   * @param options `afterSeconds`: it is not begun sooner than that. `workspaceId`: whose it is, where the payload does
   * not say. `isUrgent`: before all others of its queue.
   */
  enqueue<N extends JobName>(
    db: Db,
    name: N,
    payload: JobPayloads[N],
    options?: { afterSeconds?: number; workspaceId?: string; isUrgent?: boolean },
  ): Promise<void>;
}
