/** The dialogs of one link, each loaded when it is first opened. */
import { Text } from '@mantine/core';
import { lazily } from '../../patterns/lazily.ts';
import { t } from '../../copy/text.ts';
import { deleteLink, updateLink } from '../../api/links.ts';
import type { Link } from '../../api/types.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { shownAddress } from '../../design/addresses.ts';
import { ConfirmAction, OnceOpened } from '../../patterns/lazy-dialogs.tsx';
import type { LinkAction } from './link-actions.ts';

const LinkSheet = lazily(() => import('./LinkSheet.tsx'), 'LinkSheet');

interface LinkDialogsProps {
  link: Link;
  /** The dialog that is open; null for none. */
  action: LinkAction | null;
  onClose: () => void;
  /** @param isGone whether the link was deleted */
  onDone: (isGone: boolean) => void;
}

export function LinkDialogs({ link, action, onClose, onDone }: LinkDialogsProps) {
  const { workspace } = useWorkspace();
  const { id, state } = link;
  const address = shownAddress(link.short_url);
  /** The state that the dialog sets. */
  const archived = state !== 'archived';
  return (
    <>
      <OnceOpened opened={action === 'edit'}>
        <LinkSheet opened={action === 'edit'} link={link} onClose={onClose} onDone={() => onDone(false)} />
      </OnceOpened>
      <OnceOpened opened={action === 'archive'}>
        <ConfirmAction
          opened={action === 'archive'}
          title={
            archived
              ? t('Archive link “{address}”?', { address })
              : t('Restore link “{address}”?', { address })
          }
          confirm={archived ? t('Archive') : t('Restore')}
          danger={false}
          call={{ method: 'PATCH', path: `/links/${id}`, body: { archived } }}
          action={() => updateLink(workspace.id, id, { archived })}
          onDone={() => onDone(false)}
          onClose={onClose}
        >
          <Text>
            {archived
              ? t(
                  'The link stops redirecting until you restore it. Its slug stays reserved, and its click data is kept.',
                )
              : t('The link redirects again, unless it has expired or reached its click limit.')}
          </Text>
        </ConfirmAction>
      </OnceOpened>
      <OnceOpened opened={action === 'delete'}>
        <ConfirmAction
          opened={action === 'delete'}
          title={t('Delete link “{address}”?', { address })}
          confirm={t('Delete link')}
          call={{ method: 'DELETE', path: `/links/${id}` }}
          action={() => deleteLink(workspace.id, id)}
          onDone={() => onDone(true)}
          onClose={onClose}
        >
          <Text>
            {t(
              'This permanently deletes the link and its click data. Workspace totals stay, and the slug can be reused. To pause the link, archive it instead.',
            )}
          </Text>
        </ConfirmAction>
      </OnceOpened>
    </>
  );
}
