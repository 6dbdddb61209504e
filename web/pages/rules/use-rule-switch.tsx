/** Turns a rule on and off; off asks first, because what waits of it is canceled. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { refreshRules, updateRule } from '../../api/rules.ts';
import type { Rule } from '../../api/types.ts';
import { useWorkspace } from '../../shell/workspace-context.ts';
import { ConfirmDialog, OnceOpened } from '../../ui/lazy-dialogs.tsx';
import { notifyDone, notifyFailed } from '../../ui/notify.ts';

type Switched = Pick<Rule, 'id' | 'name'>;

export function useRuleSwitch() {
  const { workspace } = useWorkspace();
  const client = useQueryClient();
  const [disabling, setDisabling] = useState<Switched | null>(null);
  const changed = (message: string) => {
    setDisabling(null);
    void refreshRules(client, workspace.id);
    notifyDone(message);
  };
  const enable = useMutation({
    mutationFn: ({ id }: Switched) => updateRule(workspace.id, id, { enabled: true }),
    onSuccess: () => changed('Rule enabled'),
    onError: notifyFailed,
  });
  const id = disabling?.id ?? '';
  const dialog = (
    <OnceOpened opened={disabling !== null}>
      <ConfirmDialog
        opened={disabling !== null}
        title={`Disable ${disabling?.name ?? 'the rule'}?`}
        confirm="Disable"
        call={{ method: 'PATCH', path: `/rules/${id}`, body: { enabled: false } }}
        action={() => updateRule(workspace.id, id, { enabled: false })}
        onDone={() => changed('Rule disabled')}
        onClose={() => setDisabling(null)}
      >
        It starts nothing until it is enabled again, and what happens meanwhile is not made up for. What waits
        of it now is canceled.
      </ConfirmDialog>
    </OnceOpened>
  );
  return {
    switchTo: (rule: Switched, enabled: boolean) => (enabled ? enable.mutate(rule) : setDisabling(rule)),
    /** To be rendered by the page. */
    dialog,
    asking: disabling !== null,
  };
}
