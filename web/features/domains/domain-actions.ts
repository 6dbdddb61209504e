import { IconPencil, IconTrash } from '@tabler/icons-react';
import { deleteDomain } from '../../api/domains.ts';
import type { Domain } from '../../api/types.ts';
import { t } from '../../copy/text.ts';
import type { ActionDefinition } from '../../patterns/actions/action.ts';
import { lazyDialog } from '../../patterns/lazy-dialogs.tsx';

export const DomainDialog = lazyDialog(() => import('./DomainDialog.tsx'), 'DomainDialog');

export const DOMAIN_ACTIONS: readonly ActionDefinition<Domain>[] = [
  {
    id: 'edit',
    label: () => t('Edit'),
    icon: IconPencil,
    scope: 'domains:write',
    primary: true,
    dialog: DomainDialog,
  },
  {
    id: 'delete',
    label: () => t('Delete'),
    icon: IconTrash,
    danger: true,
    scope: 'domains:write',
    confirm: ({ id, host }) => ({
      title: t('Delete domain “{host}”?', { host }),
      text: t(
        "Other workspaces can then verify this hostname. You can't delete a domain that has links: delete them or move them to another domain first.",
      ),
      button: t('Delete domain'),
      call: deleteDomain(id),
    }),
  },
];
