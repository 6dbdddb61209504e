/** Turns an endpoint on and off; off asks first, because its senders are refused from then on. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { refreshEndpoints, updateEndpoint } from '../../api/publishing.ts';
import type { PublishingEndpoint } from '../../api/types.ts';
import { useWorkspace } from '../../shell/workspace-context.ts';
import { ConfirmDialog, OnceOpened } from '../../ui/lazy-dialogs.tsx';
import { notifyDone, notifyFailed } from '../../ui/notify.ts';

type Switched = Pick<PublishingEndpoint, 'id' | 'name'>;

export function useEndpointSwitch() {
  const { workspace } = useWorkspace();
  const client = useQueryClient();
  const [disabling, setDisabling] = useState<Switched | null>(null);
  const changed = (message: string) => {
    setDisabling(null);
    void refreshEndpoints(client, workspace.id);
    notifyDone(message);
  };
  const enable = useMutation({
    mutationFn: ({ id }: Switched) => updateEndpoint(workspace.id, id, { enabled: true }),
    onSuccess: () => changed('Endpoint enabled'),
    onError: notifyFailed,
  });
  const id = disabling?.id ?? '';
  const dialog = (
    <OnceOpened opened={disabling !== null}>
      <ConfirmDialog
        opened={disabling !== null}
        title={`Disable ${disabling?.name ?? 'the endpoint'}?`}
        confirm="Disable"
        call={{ method: 'PATCH', path: `/publishing-endpoints/${id}`, body: { enabled: false } }}
        action={() => updateEndpoint(workspace.id, id, { enabled: false })}
        onDone={() => changed('Endpoint disabled')}
        onClose={() => setDisabling(null)}
      >
        Its senders are answered 404 until it is enabled again, and what they send meanwhile is not kept. What
        was received before is still published.
      </ConfirmDialog>
    </OnceOpened>
  );
  return {
    switchTo: (endpoint: Switched, enabled: boolean) =>
      enabled ? enable.mutate(endpoint) : setDisabling(endpoint),
    /** To be rendered by the page. */
    dialog,
    asking: disabling !== null,
  };
}
