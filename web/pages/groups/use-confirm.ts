/**
 * A form whose call ends in a job. While the form is open it tells the outcome; once it is left, the page does: by the job
 * in its address, or a notice in the corner.
 */
import { useEffect, useRef, useState } from 'react';
import type { Job } from '../../api/types.ts';
import { refusedOf, useEndOf } from '../../api/use-action.ts';
import { notifyFailed } from '../../ui/notify.ts';

interface Asking {
  opened: boolean;
  /** It is accepted; null: the form has told what came of it. Left out, what is refused after the form was left is noticed. */
  onAsked?: (job: Job | null) => void;
  /** All of it was done, and the form is still open. */
  onAllDone: (job: Job) => void;
}

export function useConfirm({ opened, onAsked, onAllDone }: Asking) {
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
    /** The job of which something was refused. */
    partly,
    async ask(call: Promise<Job>): Promise<Job> {
      const asked = await call;
      onAsked?.(asked);
      try {
        return await end(asked);
      } catch (error) {
        if (isOpen.current) onAsked?.(null);
        else if (!onAsked) notifyFailed(error);
        throw error;
      }
    },
    done(job: Job) {
      const refused = refusedOf(job);
      if (!isOpen.current && !onAsked && refused[0])
        notifyFailed(new Error(`${refused[0].address}: ${refused[0].error?.detail ?? 'refused'}`));
      if (!isOpen.current) return;
      if (refused.length === 0) return onAllDone(job);
      onAsked?.(null);
      setPartly(job);
    },
  };
}
