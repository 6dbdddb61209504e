import { useMutation, useQueryClient } from '@tanstack/react-query';
import { instancesKey, setDesiredState } from '../../api/instances.ts';
import { useWorkspace } from '../../shell/workspace-context.ts';
import { notifyFailed } from '../../ui/notify.ts';

/** Connects an instance; one that waits for its next try tries at once. */
export function useConnect(id: string) {
  const { workspace } = useWorkspace();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: () => setDesiredState(workspace.id, id, 'connect'),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: instancesKey(workspace.id) }),
    onError: notifyFailed,
  });
}
