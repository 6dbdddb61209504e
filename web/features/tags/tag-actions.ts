import { IconPencil, IconTrash } from '@tabler/icons-react';
import type { Tag } from '../../api/types.ts';
import { t } from '../../copy/text.ts';
import type { Action } from '../../patterns/actions/action.ts';

export type TagAction = 'edit' | 'delete';

/** @param open opens the dialog of an action */
export const tagActions = (open: (tag: Tag, action: TagAction) => void): Action<Tag>[] => [
  {
    id: 'edit',
    label: () => t('Edit'),
    icon: IconPencil,
    scope: 'links:write',
    run: (tag) => open(tag, 'edit'),
  },
  {
    id: 'delete',
    label: () => t('Delete'),
    icon: IconTrash,
    danger: true,
    scope: 'links:write',
    run: (tag) => open(tag, 'delete'),
  },
];
