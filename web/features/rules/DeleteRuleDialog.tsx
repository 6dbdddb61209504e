import { deleteRule } from '../../api/rules.ts';
import type { Rule } from '../../api/types.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { t } from '../../copy/text.ts';
import { notifyDone } from '../../design/notify.ts';
import { ConfirmAction, OnceOpened } from '../../patterns/lazy-dialogs.tsx';

interface DeleteRuleDialogProps {
  /** Null keeps the dialog closed. */
  rule: Rule | null;
  onClose: () => void;
  onDeleted: () => void;
}

/** Asks for confirmation and deletes a rule. */
export function DeleteRuleDialog({ rule, onClose, onDeleted }: DeleteRuleDialogProps) {
  const { workspace } = useWorkspace();
  const id = rule?.id ?? '';
  return (
    <OnceOpened opened={rule !== null}>
      <ConfirmAction
        opened={rule !== null}
        title={t('Delete rule “{name}”?', { name: rule?.name ?? '' })}
        confirm={t('Delete rule')}
        call={{ method: 'DELETE', path: `/rules/${id}` }}
        action={() => deleteRule(workspace.id, id)}
        onDone={() => {
          notifyDone(t('Rule deleted'));
          onDeleted();
        }}
        onClose={onClose}
      >
        {t(
          "Pending runs are canceled. This can't be undone. To stop runs temporarily, disable the rule instead.",
        )}
      </ConfirmAction>
    </OnceOpened>
  );
}
