import { useQueryClient } from '@tanstack/react-query';
import { refreshRules, updateRule } from '../../api/rules.ts';
import type { Rule } from '../../api/types.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { t } from '../../copy/text.ts';
import { useEnabledSwitch } from '../../patterns/actions/use-enabled-switch.ts';

/** Enables or disables a rule. Disabling cancels its pending runs. */
export function useRuleSwitch() {
  const { workspace } = useWorkspace();
  const client = useQueryClient();
  return useEnabledSwitch<Pick<Rule, 'id' | 'name'>>({
    update: updateRule,
    refresh: () => refreshRules(client, workspace.id),
    enabled: t('Rule enabled'),
    disabled: t('Rule disabled'),
    title: ({ name }) => t('Disable rule “{name}”?', { name }),
    consequence: t(
      "Pending runs are canceled. Events that happen while the rule is disabled don't start runs.",
    ),
  });
}
