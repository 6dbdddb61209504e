/** Turns a webhook on and off; off asks first, because what waits for it is canceled. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Webhook } from '../../api/types.ts';
import { updateWebhook, webhooksKey } from '../../api/webhooks.ts';
import { useWorkspace } from '../../shell/workspace-context.ts';
import { ConfirmDialog, OnceOpened } from '../../ui/lazy-dialogs.tsx';
import { notifyDone, notifyFailed } from '../../ui/notify.ts';

/** @param onEnabled called with the webhook as it was before it was enabled */
export function useWebhookSwitch(onEnabled?: (before: Webhook) => void) {
  const { workspace } = useWorkspace();
  const queryClient = useQueryClient();
  const [disabling, setDisabling] = useState<Webhook | null>(null);
  const changed = (message: string) => {
    setDisabling(null);
    void queryClient.invalidateQueries({ queryKey: webhooksKey(workspace.id) });
    notifyDone(message);
  };
  const enable = useMutation({
    mutationFn: ({ id }: Webhook) => updateWebhook(workspace.id, id, { enabled: true }),
    onSuccess: (_answer, before) => {
      changed('Webhook enabled');
      onEnabled?.(before);
    },
    onError: notifyFailed,
  });
  const dialog = (
    <OnceOpened opened={disabling !== null}>
      <ConfirmDialog
        opened={disabling !== null}
        title="Disable the webhook?"
        confirm="Disable"
        call={{ method: 'PATCH', path: `/webhooks/${disabling?.id ?? ''}`, body: { enabled: false } }}
        action={() => updateWebhook(workspace.id, disabling?.id ?? '', { enabled: false })}
        onDone={() => changed('Webhook disabled')}
        onClose={() => setDisabling(null)}
      >
        What waits for it is canceled, and what happens from now on is not sent. Once it is enabled again, a
        replay sends what it missed.
      </ConfirmDialog>
    </OnceOpened>
  );
  return {
    switchTo: (webhook: Webhook, enabled: boolean) =>
      enabled ? enable.mutate(webhook) : setDisabling(webhook),
    switching: enable.isPending,
    /** To be rendered by the page. */
    dialog,
    asking: disabling !== null,
  };
}
