/**
 * Runs a form whose request starts a job. While the form is open, it shows the outcome. Once it is closed, the page
 * shows it: as the progress of the job, or as a toast.
 */
import { useEffect, useRef, useState } from 'react';
import { type ApiCall, send, type SendOptions } from '../../api/call.ts';
import { t } from '../../copy/text.ts';
import type { Job } from '../../api/types.ts';
import { getRefused, useEndOf } from '../../api/use-action.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { notifyFailed } from '../../design/notify.ts';

interface ChannelJobOptions {
  opened: boolean;
  /** Called with the accepted job, and with null once the form has shown its outcome. Without it, later errors become toasts. */
  onStarted?: (job: Job | null) => void;
  /** Called if everything succeeded while the form is open. */
  onAllDone: (job: Job) => void;
}

export function useChannelJob({ opened, onStarted, onAllDone }: ChannelJobOptions) {
  const { workspace } = useWorkspace();
  const end = useEndOf();
  const isOpen = useRef(false);
  useEffect(() => {
    isOpen.current = opened;
    return () => {
      isOpen.current = false;
    };
  }, [opened]);
  const [partly, setPartly] = useState<Job | null>(null);
  return {
    /** The job, if the channel rejected a part of it. */
    partly,
    async run(call: ApiCall<Job>, options?: SendOptions): Promise<Job> {
      const job = await send(workspace.id, call, options);
      onStarted?.(job);
      try {
        return await end(job);
      } catch (error) {
        if (isOpen.current) onStarted?.(null);
        else if (!onStarted) notifyFailed(error);
        throw error;
      }
    },
    done(job: Job) {
      const rejected = getRefused(job);
      if (!isOpen.current && !onStarted && rejected[0])
        notifyFailed(
          new Error(`${rejected[0].address}: ${rejected[0].error?.detail ?? t('Rejected by the channel')}`),
        );
      if (!isOpen.current) return;
      if (rejected.length === 0) return onAllDone(job);
      onStarted?.(null);
      setPartly(job);
    },
  };
}

/** Returns a form as its frame sees it: once the job runs, closing the frame discards nothing. */
export const framed = <F extends { isDirty: boolean; pending: boolean }>(form: F): F => ({
  ...form,
  isDirty: form.isDirty && !form.pending,
});
