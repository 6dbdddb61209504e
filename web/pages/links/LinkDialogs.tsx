/** The dialogs of one link, each loaded when it is first opened. */
import { Text } from '@mantine/core';
import { lazy } from 'react';
import { deleteLink, updateLink } from '../../api/links.ts';
import type { Link } from '../../api/types.ts';
import { useWorkspace } from '../../shell/workspace-context.ts';
import { shownAddress } from '../../ui/addresses.ts';
import { ConfirmDialog, OnceOpened } from '../../ui/lazy-dialogs.tsx';
import type { LinkAction } from './link-columns.tsx';

const LinkSheet = lazy(async () => ({ default: (await import('./LinkSheet.tsx')).LinkSheet }));

interface LinkDialogsProps {
  link: Link;
  /** The one that is open; null for none. */
  action: LinkAction | null;
  onClose: () => void;
  /** Something was changed. @param isGone there is no such link any more */
  onDone: (isGone: boolean) => void;
}

export function LinkDialogs({ link, action, onClose, onDone }: LinkDialogsProps) {
  const { workspace } = useWorkspace();
  const { id, state } = link;
  const address = shownAddress(link.short_url);
  const archived = state !== 'archived';
  return (
    <>
      <OnceOpened opened={action === 'edit'}>
        <LinkSheet opened={action === 'edit'} link={link} onClose={onClose} onDone={() => onDone(false)} />
      </OnceOpened>
      <OnceOpened opened={action === 'archive'}>
        <ConfirmDialog
          opened={action === 'archive'}
          title={`${archived ? 'Archive' : 'Restore'} ${address}?`}
          confirm={archived ? 'Archive' : 'Restore'}
          danger={false}
          call={{ method: 'PATCH', path: `/links/${id}`, body: { archived } }}
          action={() => updateLink(workspace.id, id, { archived })}
          onDone={() => onDone(false)}
          onClose={onClose}
        >
          <Text>
            {archived
              ? 'It leads nowhere until you restore it. Its address stays taken, and its clicks stay.'
              : 'It leads to its target again, unless it is expired or used up.'}
          </Text>
        </ConfirmDialog>
      </OnceOpened>
      <OnceOpened opened={action === 'delete'}>
        <ConfirmDialog
          opened={action === 'delete'}
          title={`Delete ${address}?`}
          confirm="Delete link"
          call={{ method: 'DELETE', path: `/links/${id}` }}
          action={() => deleteLink(workspace.id, id)}
          onDone={() => onDone(true)}
          onClose={onClose}
        >
          <Text>
            For good, and its clicks with it; the sums of the workspace stay. Whoever follows it finds
            nothing, and its slug is free for another. To pause it, archive it instead.
          </Text>
        </ConfirmDialog>
      </OnceOpened>
    </>
  );
}
