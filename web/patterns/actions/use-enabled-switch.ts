/** Enables or disables an object. Disabling asks for confirmation. */
import { useMutation } from '@tanstack/react-query';
import { type ApiCall, send } from '../../api/call.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { t } from '../../copy/text.ts';
import { notifyDone, notifyFailed } from '../../design/notify.ts';
import { useActions } from './use-actions.tsx';

interface EnabledSwitch<T> {
  update: (id: string, change: { enabled: boolean }) => ApiCall;
  refresh: () => unknown;
  /** Shown on success: "Rule enabled". */
  enabled: string;
  disabled: string;
  /** "Disable rule “Reply”?" */
  title: (object: T) => string;
  /** Describes the effect of disabling. */
  consequence: string;
  /** Called with the object as it was before it was enabled. */
  onEnabled?: ((before: T) => void) | undefined;
}

export function useEnabledSwitch<T extends { id: string }>(options: EnabledSwitch<T>) {
  const { update, refresh, enabled, disabled, title, consequence, onEnabled } = options;
  const { workspace } = useWorkspace();
  const { run, dialogs, isOpen } = useActions<T, 'disable'>(
    [
      {
        id: 'disable',
        label: () => t('Disable'),
        confirm: (object) => ({
          title: title(object),
          text: consequence,
          button: t('Disable'),
          call: update(object.id, { enabled: false }),
        }),
        done: () => disabled,
      },
    ],
    refresh,
  );
  const enable = useMutation({
    mutationFn: ({ id }: T) => send(workspace.id, update(id, { enabled: true })),
    onSuccess: (_answer, before) => {
      void refresh();
      notifyDone(enabled);
      onEnabled?.(before);
    },
    onError: notifyFailed,
  });
  return {
    switchTo: (object: T, isEnabled: boolean) => (isEnabled ? enable.mutate(object) : run('disable', object)),
    switching: enable.isPending,
    /** The confirmation dialog, for the page to render. */
    dialog: dialogs,
    confirming: isOpen,
  };
}
