/** Cancels what waits in an account's queue. */
import { clearQueue } from '../../api/queue.ts';
import type { Instance } from '../../api/types.ts';
import { useWorkspace } from '../../shell/workspace-context.ts';
import { ConfirmDialog, OnceOpened } from '../../ui/lazy-dialogs.tsx';

interface ClearDialogProps {
  instance: Instance;
  opened: boolean;
  onClose: () => void;
  /** @param message what was done */
  onDone: (message: string) => void;
}

export function ClearDialog({ instance, opened, onClose, onDone }: ClearDialogProps) {
  const { workspace } = useWorkspace();
  return (
    <OnceOpened opened={opened}>
      <ConfirmDialog
        opened={opened}
        title="Clear the queue?"
        confirm="Clear the queue"
        call={{ method: 'POST', path: `/instances/${instance.id}/clear-queue` }}
        action={() => clearQueue(workspace.id, instance.id)}
        onDone={({ canceled }) =>
          onDone(canceled === 1 ? '1 message canceled' : `${canceled} messages canceled`)
        }
        onClose={onClose}
      >
        The messages that wait are canceled, and edits and reactions that wait are dropped. What is being sent
        at this moment goes on, and scheduled messages stay. This can't be undone.
      </ConfirmDialog>
    </OnceOpened>
  );
}
