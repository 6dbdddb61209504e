/** The dialogs of one tag. */
import { Text } from '@mantine/core';
import { deleteTag } from '../../api/tags.ts';
import type { Tag } from '../../api/types.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { t } from '../../copy/text.ts';
import { ConfirmAction } from '../../patterns/ConfirmAction.tsx';
import type { TagAction } from './tag-actions.ts';
import { TagDialog } from './TagDialog.tsx';

interface TagDialogsProps {
  tag: Tag;
  /** The dialog that is open; null for none. */
  action: TagAction | null;
  onClose: () => void;
  onDone: () => void;
}

export function TagDialogs({ tag, action, onClose, onDone }: TagDialogsProps) {
  const { workspace } = useWorkspace();
  return (
    <>
      <TagDialog opened={action === 'edit'} tag={tag} onClose={onClose} onDone={onDone} />
      <ConfirmAction
        opened={action === 'delete'}
        title={t('Delete tag “{name}”?', { name: tag.name })}
        confirm={t('Delete tag')}
        call={{ method: 'DELETE', path: `/tags/${tag.id}` }}
        action={() => deleteTag(workspace.id, tag.id)}
        onDone={onDone}
        onClose={onClose}
      >
        <Text>{t('The tag is removed from its links. The links stay as they are.')}</Text>
      </ConfirmAction>
    </>
  );
}
