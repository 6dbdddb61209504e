/** The actions on one link, and on several. */
import { IconArchive, IconArchiveOff, IconPencil, IconTrash } from '@tabler/icons-react';
import { deleteLink, updateLink } from '../../api/links.ts';
import type { Link } from '../../api/types.ts';
import { t } from '../../copy/text.ts';
import { shownAddress } from '../../design/addresses.ts';
import type { ActionDefinition, BulkAction } from '../../patterns/actions/action.ts';
import { lazyDialog } from '../../patterns/lazy-dialogs.tsx';
import type { BulkActionName } from './bulk-actions.ts';

export const LinkSheet = lazyDialog(() => import('./LinkSheet.tsx'), 'LinkSheet');

const SCOPE = 'links:write';

const isArchived = ({ state }: Link): boolean => state === 'archived';
const isNotArchived = (link: Link): boolean => !isArchived(link);

export const LINK_ACTIONS: readonly ActionDefinition<Link>[] = [
  {
    id: 'edit',
    label: () => t('Edit'),
    icon: IconPencil,
    scope: SCOPE,
    primary: true,
    dialog: LinkSheet,
  },
  {
    id: 'archive',
    label: () => t('Archive'),
    icon: IconArchive,
    scope: SCOPE,
    applies: isNotArchived,
    primary: true,
    confirm: ({ id, short_url: url }) => ({
      title: t('Archive link “{address}”?', { address: shownAddress(url) }),
      text: t(
        'The link stops redirecting until you restore it. Its slug stays reserved, and its click data is kept.',
      ),
      button: t('Archive'),
      danger: false,
      call: updateLink(id, { archived: true }),
    }),
  },
  {
    id: 'restore',
    label: () => t('Restore'),
    icon: IconArchiveOff,
    scope: SCOPE,
    applies: isArchived,
    primary: true,
    confirm: ({ id, short_url: url }) => ({
      title: t('Restore link “{address}”?', { address: shownAddress(url) }),
      text: t('The link redirects again, unless it has expired or reached its click limit.'),
      button: t('Restore'),
      danger: false,
      call: updateLink(id, { archived: false }),
    }),
  },
  {
    id: 'delete',
    label: () => t('Delete'),
    icon: IconTrash,
    danger: true,
    scope: SCOPE,
    confirm: ({ id, short_url: url }) => ({
      title: t('Delete link “{address}”?', { address: shownAddress(url) }),
      text: t(
        'This permanently deletes the link and its click data. Workspace totals stay, and the slug can be reused. To pause the link, archive it instead.',
      ),
      button: t('Delete link'),
      call: deleteLink(id),
    }),
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
