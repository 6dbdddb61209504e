/** Enables or disables an object. Disabling asks for confirmation. */
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { t } from '../copy/text.ts';
import { notifyDone, notifyFailed } from '../design/notify.ts';
import { ConfirmAction, OnceOpened } from './lazy-dialogs.tsx';

interface EnabledSwitch<T> {
  /** Returns the path of the object in the API, for the cURL. */
  path: (id: string) => string;
  update: (id: string, change: { enabled: boolean }) => Promise<unknown>;
  refresh: () => unknown;
  /** What is said once it is done: "Rule enabled". */
  enabled: string;
  disabled: string;
  /** "Disable rule “Reply”?" */
  title: (object: T) => string;
  /** What disabling does. */
  consequence: string;
  /** Called with the object as it was before it was enabled. */
  onEnabled?: ((before: T) => void) | undefined;
}

export function useEnabledSwitch<T extends { id: string }>(options: EnabledSwitch<T>) {
  const { path, update, refresh, enabled, disabled, title, consequence, onEnabled } = options;
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
    mutationFn: ({ id }: T) => update(id, { enabled: true }),
    onSuccess: (_answer, before) => {
      changed(enabled);
      onEnabled?.(before);
    },
    onError: notifyFailed,
  });
  const id = disabling?.id ?? '';
  const dialog = (
    <OnceOpened opened={disabling !== null}>
      <ConfirmAction
        opened={disabling !== null}
        title={last ? title(last) : ''}
        confirm={t('Disable')}
        call={{ method: 'PATCH', path: path(id), body: { enabled: false } }}
        action={() => update(id, { enabled: false })}
        onDone={() => changed(disabled)}
        onClose={() => setDisabling(null)}
      >
        {consequence}
      </ConfirmAction>
    </OnceOpened>
  );
  return {
    switchTo: (object: T, isEnabled: boolean) => (isEnabled ? enable.mutate(object) : setDisabling(object)),
    switching: enable.isPending,
    /** The confirmation dialog, for the page to render. */
    dialog,
    confirming: disabling !== null,
  };
}
