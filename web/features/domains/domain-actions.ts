import { IconPencil, IconTrash } from '@tabler/icons-react';
import type { Domain } from '../../api/types.ts';
import { t } from '../../copy/text.ts';
import type { Action } from '../../patterns/actions/action.ts';

export type DomainAction = 'edit' | 'delete';

/** @param open opens the dialog of an action */
export const domainActions = (open: (domain: Domain, action: DomainAction) => void): Action<Domain>[] => [
  {
    id: 'edit',
    label: () => t('Edit'),
    icon: IconPencil,
    scope: 'domains:write',
    primary: true,
    run: (domain) => open(domain, 'edit'),
  },
  {
    id: 'delete',
    label: () => t('Delete'),
    icon: IconTrash,
    danger: true,
    scope: 'domains:write',
    run: (domain) => open(domain, 'delete'),
  },
];
