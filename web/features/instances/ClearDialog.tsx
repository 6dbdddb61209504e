/** Clears the queue of an instance. */
import { plural, t } from '../../copy/text.ts';
import { clearQueue } from '../../api/queue.ts';
import type { Instance } from '../../api/types.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { ConfirmAction, OnceOpened } from '../../patterns/lazy-dialogs.tsx';

interface ClearDialogProps {
  instance: Instance;
  opened: boolean;
  onClose: () => void;
  /** @param message for a toast */
  onDone: (message: string) => void;
}

export function ClearDialog({ instance, opened, onClose, onDone }: ClearDialogProps) {
  const { workspace } = useWorkspace();
  return (
    <OnceOpened opened={opened}>
      <ConfirmAction
        opened={opened}
        title={t('Clear queue of instance “{name}”?', { name: instance.name })}
        confirm={t('Clear queue')}
        call={{ method: 'POST', path: `/instances/${instance.id}/clear-queue` }}
        action={() => clearQueue(workspace.id, instance.id)}
        onDone={({ canceled }) =>
          onDone(plural(canceled, { one: '{count} message canceled', other: '{count} messages canceled' }))
        }
        onClose={onClose}
      >
        {t(
          "This cancels all queued messages and drops queued edits and reactions. Messages being sent now and scheduled messages aren't affected. This can't be undone.",
        )}
      </ConfirmAction>
    </OnceOpened>
  );
}
