import { useMutation, useQueryClient } from '@tanstack/react-query';
import { send } from '../../api/call.ts';
import { instancesKey, setDesiredState } from '../../api/instances.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { notifyFailed } from '../../design/notify.ts';

/** Connects an instance, by its ID. One that waits for its next attempt retries immediately. */
export function useConnect() {
  const { workspace } = useWorkspace();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => send(workspace.id, setDesiredState(id, 'connect')),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: instancesKey(workspace.id) }),
    onError: notifyFailed,
  });
}
