/** The dialogs of one tag. */
import { Text } from '@mantine/core';
import { deleteTag } from '../../api/tags.ts';
import type { Tag } from '../../api/types.ts';
import { useWorkspace } from '../../shell/workspace-context.ts';
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx';
import { TagDialog } from './TagDialog.tsx';

export type TagAction = 'edit' | 'delete';

interface TagDialogsProps {
  tag: Tag;
  /** The one that is open; null for none. */
  action: TagAction | null;
  onClose: () => void;
  onDone: () => void;
}

export function TagDialogs({ tag, action, onClose, onDone }: TagDialogsProps) {
  const { workspace } = useWorkspace();
  return (
    <>
      <TagDialog opened={action === 'edit'} tag={tag} onClose={onClose} onDone={onDone} />
      <ConfirmDialog
        opened={action === 'delete'}
        title={`Delete the tag ${tag.name}?`}
        confirm="Delete tag"
        call={{ method: 'DELETE', path: `/tags/${tag.id}` }}
        action={() => deleteTag(workspace.id, tag.id)}
        onDone={onDone}
        onClose={onClose}
      >
        <Text>It is taken off its links, which stay as they are otherwise.</Text>
      </ConfirmDialog>
    </>
  );
}
