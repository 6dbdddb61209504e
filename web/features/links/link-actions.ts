/** The actions on one link, and on several. */
import { IconArchive, IconArchiveOff, IconPencil, IconTrash } from '@tabler/icons-react';
import type { Link } from '../../api/types.ts';
import { t } from '../../copy/text.ts';
import type { Action, BulkAction } from '../../patterns/actions/action.ts';
import type { BulkActionName } from './bulk-actions.ts';

export type LinkAction = 'edit' | 'archive' | 'delete';

const SCOPE = 'links:write';

const isArchived = ({ state }: Link): boolean => state === 'archived';
const isNotArchived = (link: Link): boolean => !isArchived(link);

/** @param open opens the dialog of an action */
export const linkActions = (open: (link: Link, action: LinkAction) => void): Action<Link>[] => [
  {
    id: 'edit',
    label: () => t('Edit'),
    icon: IconPencil,
    scope: SCOPE,
    primary: true,
    run: (link) => open(link, 'edit'),
  },
  {
    id: 'archive',
    label: () => t('Archive'),
    icon: IconArchive,
    scope: SCOPE,
    applies: isNotArchived,
    primary: true,
    run: (link) => open(link, 'archive'),
  },
  {
    id: 'restore',
    label: () => t('Restore'),
    icon: IconArchiveOff,
    scope: SCOPE,
    applies: isArchived,
    primary: true,
    run: (link) => open(link, 'archive'),
  },
  {
    id: 'delete',
    label: () => t('Delete'),
    icon: IconTrash,
    danger: true,
    scope: SCOPE,
    run: (link) => open(link, 'delete'),
  },
];

/** @param open opens the dialog of an action */
export const linkBulkActions = (
  open: (links: Link[], action: BulkActionName) => void,
): BulkAction<Link>[] => {
  const action = (id: BulkActionName, label: string, more: Partial<BulkAction<Link>> = {}) => ({
    id,
    label,
    scope: SCOPE,
    run: (links: Link[]) => open(links, id),
    ...more,
  });
  return [
    action('archive', t('Archive'), { applies: isNotArchived }),
    action('restore', t('Restore'), { applies: isArchived }),
    action('add_tags', t('Add tags')),
    action('remove_tags', t('Remove tags'), { applies: ({ tags }) => tags.length > 0 }),
    action('expire', t('Set expiration')),
    action('delete', t('Delete'), { danger: true }),
  ];
};
