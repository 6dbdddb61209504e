/** Enables or disables an object. Disabling asks for confirmation. */
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { type ApiCall, send } from '../api/call.ts';
import { useWorkspace } from '../api/workspace-context.ts';
import { t } from '../copy/text.ts';
import { notifyDone, notifyFailed } from '../design/notify.ts';
import { ConfirmAction } from './lazy-dialogs.tsx';

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
  const [disabling, setDisabling] = useState<T | null>(null);
  // Named while its dialog closes, too.
  const [last, setLast] = useState(disabling);
  if (disabling && disabling !== last) setLast(disabling);
  const changed = (message: string) => {
    setDisabling(null);
    void refresh();
    notifyDone(message);
  };
  const enable = useMutation({
    mutationFn: ({ id }: T) => send(workspace.id, update(id, { enabled: true })),
    onSuccess: (_answer, before) => {
      changed(enabled);
      onEnabled?.(before);
    },
    onError: notifyFailed,
  });
  const dialog = (
    <ConfirmAction
      opened={disabling !== null}
      title={last ? title(last) : ''}
      confirm={t('Disable')}
      call={update(last?.id ?? '', { enabled: false })}
      onDone={() => changed(disabled)}
      onClose={() => setDisabling(null)}
    >
      {consequence}
    </ConfirmAction>
  );
  return {
    switchTo: (object: T, isEnabled: boolean) => (isEnabled ? enable.mutate(object) : setDisabling(object)),
    switching: enable.isPending,
    /** The confirmation dialog, for the page to render. */
    dialog,
    confirming: disabling !== null,
  };
}
