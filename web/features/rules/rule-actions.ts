import { IconPlayerPlay, IconPlayerStop, IconTrash } from '@tabler/icons-react';
import type { Rule } from '../../api/types.ts';
import { t } from '../../copy/text.ts';
import type { Action } from '../../patterns/actions/action.ts';

interface Handlers {
  switchTo: (rule: Rule, enabled: boolean) => void;
  remove: (rule: Rule) => void;
}

const scope = 'rules:write';

/** @param handlers open the dialogs of the actions */
export const ruleActions = ({ switchTo, remove }: Handlers): Action<Rule>[] => [
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
  { id: 'delete', label: () => t('Delete'), icon: IconTrash, danger: true, scope, run: remove },
];
