import { IconPencil, IconTrash } from '@tabler/icons-react';
import { deleteTag } from '../../api/tags.ts';
import type { Tag } from '../../api/types.ts';
import { t } from '../../copy/text.ts';
import type { ActionDefinition } from '../../patterns/actions/action.ts';
import { lazyDialog } from '../../patterns/lazy-dialogs.tsx';

export const TagDialog = lazyDialog(() => import('./TagDialog.tsx'), 'TagDialog');

export const TAG_ACTIONS: readonly ActionDefinition<Tag>[] = [
  {
    id: 'edit',
    label: () => t('Edit'),
    icon: IconPencil,
    scope: 'links:write',
    dialog: TagDialog,
  },
  {
    id: 'delete',
    label: () => t('Delete'),
    icon: IconTrash,
    danger: true,
    scope: 'links:write',
    confirm: ({ id, name }) => ({
      title: t('Delete tag “{name}”?', { name }),
      text: t('The tag is removed from its links. The links stay as they are.'),
      button: t('Delete tag'),
      call: deleteTag(id),
    }),
  },
];
