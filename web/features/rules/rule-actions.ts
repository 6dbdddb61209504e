import { IconPlayerPlay, IconPlayerStop, IconTrash } from '@tabler/icons-react';
import { deleteRule } from '../../api/rules.ts';
import type { Rule } from '../../api/types.ts';
import { t } from '../../copy/text.ts';
import type { ActionDefinition } from '../../patterns/actions/action.ts';

const scope = 'rules:write';

export const ruleActions = (switchTo: (rule: Rule, enabled: boolean) => void): ActionDefinition<Rule>[] => [
  {
    id: 'disable',
    label: () => t('Disable'),
    icon: IconPlayerStop,
    scope,
    applies: ({ enabled }) => enabled,
    run: (rule) => switchTo(rule, false),
  },
  {
    id: 'enable',
    label: () => t('Enable'),
    icon: IconPlayerPlay,
    scope,
    applies: ({ enabled }) => !enabled,
    run: (rule) => switchTo(rule, true),
  },
  {
    id: 'delete',
    label: () => t('Delete'),
    icon: IconTrash,
    danger: true,
    scope,
    confirm: ({ id, name }) => ({
      title: t('Delete rule “{name}”?', { name }),
      text: t(
        "Pending runs are canceled. This can't be undone. To stop runs temporarily, disable the rule instead.",
      ),
      button: t('Delete rule'),
      call: deleteRule(id),
    }),
    done: () => t('Rule deleted'),
  },
];
